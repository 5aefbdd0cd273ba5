/** What became of passwords, one-time passwords and further factors. */
import { note, type Reason } from './reason.ts';

export const credentials = {
  'password:none': note(
    'The source has no password for this person.',
    'The person gets an initialisation mail, unless a link to another provider exists.',
    'Expect the mail, or leave such people out with `--without-password skip`.',
  ),
  'password:federated': note(
    'The password lives in a federation provider (LDAP), not in the export.',
    'The person comes without a password.',
    'Connect the directory to the target, or let the person set a new password.',
  ),
  'password:algorithm-unsupported': note(
    'No verifier of the target knows the algorithm of this password hash.',
    'The person comes without a password.',
    'The person sets a new password.',
  ),
  'password:parameters-out-of-limits': note(
    'The target knows the algorithm but refuses these parameters.',
    'The person comes without a password, unless `--on-refused-hash keep`.',
    'Change the limit that the summary names, in the target, and use `--on-refused-hash keep`.',
  ),
  'password:verifier-disabled': note(
    'The target could verify this hash but has the verifier switched off.',
    'The person comes without a password, unless `--on-refused-hash keep`.',
    'Switch the verifier on in the target, and name the profile with `--target-profile`.',
  ),
  'password:malformed': note(
    'The stored hash, salt or parameters cannot be read.',
    'The person comes without a password.',
    'Check the record in the source; else the person sets a new password.',
  ),
  'password:unverifiable': note(
    'The target would take the hash but no password could ever match it.',
    'The person comes without a password.',
    'The person sets a new password.',
  ),
  'password:peppered-or-prehashed': note(
    'The hash may have been made from an altered password (pepper or pre-hash); its looks do not tell.',
    'The hash is written as it stands and verifies only when the source did not alter passwords.',
    'Prove one known password with `idport password verify` before the cutover.',
  ),
  'password:ambiguous-join': note(
    'A line of the password file may belong to this person or to another one: nothing but the e-mail tells, and it is not unique.',
    "The person comes without a password; a guess could open somebody else's account.",
    'Find the right line by its number in the report, or let the person set a new password.',
  ),
  'password:conflicting-lines': note(
    'Several lines of the password file name this person and hold different hashes.',
    'The person comes without a password.',
    'Remove the wrong lines (the report has their numbers) and convert again, or let the person set a new password.',
  ),
  'password:plaintext-hashed': note(
    'The source held the password in plain text.',
    'It was hashed with bcrypt on this machine; the plain text is not written.',
    'Delete the source file when the migration is done.',
  ),
  'password:plaintext-skipped': note(
    'The source held the password in plain text, and `--plaintext skip` leaves it out.',
    'The person comes without a password.',
    'Choose `--plaintext hash`, or let the person set a new password.',
  ),
  'password:extra': note(
    'The source has more than one password for this person.',
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
    'Ask the person to change the password.',
  ),
  'otp:hotp': note(
    'The one-time password is counter-based (HOTP).',
    'It is not written.',
    'The person enrols again.',
  ),
  'otp:parameters': note(
    'The one-time password uses other parameters than SHA-1, 6 digits, 30 seconds.',
    'It is not written.',
    'The person enrols again.',
  ),
  'otp:extra': note(
    'The person has more than one one-time password device; the target holds one.',
    'The first by priority is written.',
    'The person enrols the others again.',
  ),
  'otp:malformed': note(
    'The one-time password secret cannot be read.',
    'It is not written.',
    'The person enrols again.',
  ),
  'otp:no-id': note(
    'The target ties a one-time password to the id of a person, and this one has none.',
    'It is not written.',
    'Give the record an id.',
  ),
  'mfa:webauthn': note(
    'Passkeys and security keys are bound to the old site.',
    'They are not written.',
    'The person enrols again.',
  ),
  'mfa:recovery-codes': note(
    'The stored recovery codes have a form that the target cannot verify.',
    'They are not written.',
    'The person draws new codes.',
  ),
  'mfa:other': note(
    'The source has a further factor that the target does not know; the detail names its type.',
    'It is not written.',
    'The person enrols again.',
  ),
} as const satisfies Record<string, Reason>;
