/** Notes on passwords, one-time passwords and other second factors. */
import { note, type Reason } from './reason.ts';

export const credentials = {
  'password:none': note(
    'The source has no password for this user.',
    'The user gets an initialization email, unless a link to another provider exists.',
    'Expect the email, or leave such users out with `--without-password skip`.',
  ),
  'password:federated': note(
    'The password lives in a federation provider (LDAP), not in the export.',
    'The user is imported without a password.',
    'Connect the directory to the target, or let the user set a new password.',
  ),
  'password:algorithm-unsupported': note(
    'No verifier of the target knows the algorithm of this password hash.',
    'The user is imported without a password.',
    'The user sets a new password.',
  ),
  'password:parameters-out-of-limits': note(
    'The target knows the algorithm but refuses these parameters.',
    'The user is imported without a password, unless `--on-refused-hash keep`.',
    'Change the limit that the summary names, in the target, and use `--on-refused-hash keep`.',
  ),
  'password:verifier-disabled': note(
    'The target could verify this hash but has the verifier switched off.',
    'The user is imported without a password, unless `--on-refused-hash keep`.',
    'Switch the verifier on in the target, and name the profile with `--target-profile`.',
  ),
  'password:malformed': note(
    'The stored hash, salt or parameters cannot be read.',
    'The user is imported without a password.',
    'Check the record in the source; else the user sets a new password.',
  ),
  'password:unverifiable': note(
    'The target would take the hash but no password could ever match it.',
    'The user is imported without a password.',
    'The user sets a new password.',
  ),
  'password:peppered-or-prehashed': note(
    'The hash may have been made from an altered password (pepper or pre-hash); the hash does not show it.',
    'The hash is written as it stands and verifies only when the source did not alter passwords.',
    'Check one known password with `idport password verify` before the cutover.',
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
    'The source held the password in plain text, and `--plaintext skip` leaves it out.',
    'The user is imported without a password.',
    'Choose `--plaintext hash`, or let the user set a new password.',
  ),
  'password:extra': note(
    'The source has more than one password for this user.',
    'The first by priority is written.',
    'Nothing to do.',
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
    'The user enrols again.',
  ),
  'otp:parameters': note(
    'The one-time password uses other parameters than SHA-1, 6 digits, 30 seconds.',
    'It is not written.',
    'The user enrols again.',
  ),
  'otp:extra': note(
    'The user has more than one one-time password device; the target holds one.',
    'The first by priority is written.',
    'The user enrols the others again.',
  ),
  'otp:malformed': note(
    'The one-time password secret cannot be read.',
    'It is not written.',
    'The user enrols again.',
  ),
  'otp:no-id': note(
    'The target ties a one-time password to the id of a user, and this one has none.',
    'It is not written.',
    'Give the record an id.',
  ),
  'mfa:webauthn': note(
    'Passkeys and security keys are bound to the old site.',
    'They are not written.',
    'The user enrols again.',
  ),
  'mfa:recovery-codes': note(
    'The stored recovery codes have a form that the target cannot verify.',
    'They are not written.',
    'The user creates new codes.',
  ),
  'mfa:other': note(
    'The source has a further factor that the target does not know; the detail names its type.',
    'It is not written.',
    'The user enrols again.',
  ),
} as const satisfies Record<string, Reason>;
