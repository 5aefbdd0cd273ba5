/** Notes on passwords, one-time passwords and other second factors. */
import { note, type Reason } from './reason.ts';

export const credentials = {
  'password:none': note(
    'The export has no password for this user.',
    'The user has to set a password, or log in with a link. `idport import` sends an initialization email, `idport import-users` sends none.',
    'Ask these users to set one. If the old system has their passwords, export or read it with an account that may see the hashes, or use `idport jit`. `--without-password=skip` leaves these users out.',
  ),
  'password:placeholder': note(
    'The source has no password hash of this user that the target can verify.',
    'The user is imported with a placeholder password, so that login pages ask for a password. `idport jit` checks the old one at the first login.',
    'Run `idport jit serve` before these users log in. Users without an old password have to reset it.',
  ),
  'password:not-exported': note(
    'The export does not show whether this user has a password: a partial export or a list of the REST API shows none.',
    'The user is imported without a password.',
    'Use `kc.sh export`, which shows password hashes.',
  ),
  'password:too-long': note(
    'The password in plain text is longer than 72 bytes. The target accepts a hash of it, and the first login fails with a 500.',
    'The user is imported without a password.',
    'The user has to set a new password, of at most 72 bytes.',
  ),
  'password:federated': note(
    'The password lives in a federation provider (LDAP), not in the export.',
    'The user is imported without a password.',
    'Connect the directory to the target, use `idport jit`, or let the user set a new password.',
  ),
  'password:algorithm-unsupported': note(
    'No verifier of the target knows the algorithm of this password hash.',
    'The user is imported without a password.',
    'Use `idport jit`; else the user has to set a new password.',
  ),
  'password:parameters-out-of-limits': note(
    'The target knows the algorithm but refuses these parameters.',
    'The user is imported without a password, unless `--on-refused-hash=keep`.',
    'Change the limit that the summary names, in the target. Then convert with `--on-refused-hash=keep`. Or use `idport jit`.',
  ),
  'password:verifier-disabled': note(
    'The target could verify this hash but has the verifier switched off.',
    'The user is imported without a password, unless `--on-refused-hash=keep`.',
    'Switch the verifier on in the target. Then name its profile with `--target-profile`. Or use `idport jit`.',
  ),
  'password:malformed': note(
    'The stored password, hash, salt or parameters cannot be read.',
    'The user is imported without a password.',
    'Check the record in the source, or use `idport jit`; else the user has to set a new password.',
  ),
  'password:unverifiable': note(
    'The target would take the hash but no password could ever match it.',
    'The user is imported without a password.',
    'Use `idport jit`; else the user has to set a new password.',
  ),
  'password:peppered-or-prehashed': note(
    'The hash may have been made from an altered password (pepper or pre-hash); the hash does not show it.',
    'The hash is written unchanged, and works only if the source did not alter passwords.',
    'Check one known password with `idport password verify` before the cutover.',
  ),
  'password:prehashed': note(
    'The source hashed a digest of the password, not the password; the detail names what it does.',
    'The user is imported without a password: the target would take the hash, but no login would succeed.',
    'Let the source rehash passwords before the cutover, or use `idport jit`; else the user has to set a new password.',
  ),
  'password:peppered': note(
    'The source added a secret to the password before it hashed it.',
    'The user is imported without a password: the target would take the hash, but no login would succeed.',
    'Where the secret belongs to the salt, give it to the mapping; or use `idport jit`; else the user has to set a new password.',
  ),
  'password:ambiguous-format': note(
    'The stored text could be one of several kinds of hash, and does not say which.',
    'The user is imported without a password; a wrong guess would lock the user out.',
    'Check one known password with `idport password verify`. For a table, name the format in its mapping.',
  ),
  'password:encrypted-by-source': note(
    'The source encrypts its hashes with a key that the export does not have.',
    'The user is imported without a password.',
    'Let the source decrypt them for the export, or use `idport jit`; else the user has to set a new password.',
  ),
  'password:redacted': note(
    'The export has a mask in place of the hash.',
    'The user is imported without a password.',
    'Export again with the permission that the detail names, or from the database.',
  ),
  'password:not-given': note(
    'The source does not export password hashes.',
    'The user is imported without a password.',
    'Use `idport jit`, keep the source as identity provider with links, or let the user set a new password.',
  ),
  'password:never': note(
    'The record says that the old system has no password for this user.',
    'The user is imported without a password, and `idport jit` cannot check one at the first login.',
    'Name the identity provider of the user with `--idp`, or ask the user to set a password.',
  ),
  'password:ambiguous-join': note(
    'A line of the password file may belong to this user or to another one: only the email matches, and it is not unique.',
    'The user is imported without a password; a guess could open the account of another user.',
    'Find the right line by its number in the report, or let the user set a new password.',
  ),
  'password:conflicting-lines': note(
    'Several lines of the password file name this user and hold different hashes.',
    'The user is imported without a password.',
    'Remove the wrong lines (the report has their numbers) and convert again, or let the user set a new password.',
  ),
  'password:plaintext-hashed': note(
    'The source held the password in plain text.',
    'It was hashed with bcrypt on this machine; the plain text is not written.',
    'Delete the source file when the migration is done.',
  ),
  'password:plaintext-skipped': note(
    'The source held the password in plain text, and `--plain-passwords=skip` leaves it out.',
    'The user is imported without a password.',
    'Let the user set a new password. Or choose `--plain-passwords=hash`.',
  ),
  'password:extra': note(
    'The source has more than one password for this user.',
    'One is written: the first by priority; of the values of a column the first that can move.',
    'Tell these users that their other passwords no longer work.',
  ),
  'password:shared': note(
    'A user further up in the export has the same hash and salt: it was copied, as a default password or placeholder is.',
    'It is written. A user who knows this password can log in as all of them. The detail names the first one, who is not counted here.',
    'Try likely passwords (docs/passwords.md, "Prove a login"). For a table, a mapping leaves such a hash out: `from: { from: <column>, when: { not: { column: <column>, is: [<the hash>] } } }` under `password`.',
  ),
  'password:history': note(
    'The source keeps hashes of former passwords.',
    'They are not written.',
    'Nothing to do.',
  ),
  'password:temporary': note(
    'The password was marked temporary, to be changed at the next login.',
    'The target drops that mark for hashed passwords.',
    'Ask the user to change the password.',
  ),
  'otp:hotp': note(
    'The one-time password is counter-based (HOTP).',
    'It is not written.',
    'The user has to enroll again.',
  ),
  'otp:parameters': note(
    'The one-time password uses other parameters than SHA-1, 6 digits, 30 seconds.',
    'It is not written.',
    'The user has to enroll again.',
  ),
  'otp:not-exported': note(
    'The user has a TOTP secret that the export does not show.',
    'It is not written.',
    'Use `kc.sh export`, which shows it; else the user has to enroll again.',
  ),
  'otp:extra': note(
    'The user has more than one one-time password device; the target holds one.',
    'The first by priority is written.',
    'The user has to enroll the others again.',
  ),
  'otp:malformed': note(
    'The one-time password secret cannot be read.',
    'It is not written.',
    'The user has to enroll again.',
  ),
  'otp:encrypted': note(
    'The source encrypts its TOTP secrets with a key that the export does not have.',
    'The secret is not written.',
    'Let the source decrypt it for the export; else the user has to enroll again.',
  ),
  'otp:no-id': note(
    'The target ties a one-time password to the id of a user, and this one has none.',
    'It is not written.',
    'Give the record an id.',
  ),
  'mfa:webauthn': note(
    'Passkeys and security keys are bound to the old site.',
    'They are not written.',
    'The user has to enroll again.',
  ),
  'mfa:recovery-codes': note(
    'The recovery codes have a form that the target cannot verify, or the user has no one-time password that can move.',
    'They are not written.',
    'The user has to create new codes.',
  ),
  'mfa:further-codes': note(
    'The target holds 10 recovery codes, each of up to 200 characters.',
    'The first that fit are written.',
    'Nothing to do.',
  ),
  'mfa:other': note(
    'The source has a further factor that the target does not know; the detail names its type.',
    'It is not written.',
    'The user has to enroll again.',
  ),
} as const satisfies Record<string, Reason>;
