/** What an import could not carry, or found at the target. */
import { note, rejected, type Reason } from './reason.ts';

export const imports = {
  'import:exists': rejected(
    'Somebody with this id was at the target before, and `--on-existing fail` counts that as a failure.',
    'Nothing was changed. Leave `--on-existing fail` out to pass over such people.',
  ),
  'import:name-taken': rejected(
    'Somebody else at the target has this user name.',
    'Find out who it is. If it is the same person under another id, remove the record here; else rename one.',
  ),
  'import:refused': rejected(
    'The service refused this record; the detail gives its words, and its error id for `idport explain`.',
    'Mend the record in the rejects file and import that file.',
  ),
  'import:hash-refused': rejected(
    'The service refused the password hash of this person.',
    '`idport check` names the setting of the service to change; then import the rejects file. Or leave the hash out.',
  ),
  'import:field-rule': rejected(
    'The record breaks a field rule of the service, which would refuse the whole request because of it.',
    'Mend the field that the detail names in the rejects file and import that file.',
  ),
  'import:unreadable': rejected(
    'The service could not read this record; the detail says why.',
    'Mend the record in the rejects file and import that file.',
  ),
  'import:breaks-service': rejected(
    'The service would end with a crash over this record.',
    'Mend the record in the rejects file and import that file.',
  ),
  'import:too-large': rejected(
    'The record alone is larger than the service takes.',
    'Make it smaller in the rejects file and import that file.',
  ),
  'import:unconfirmed': rejected(
    'The answer of the service was lost again and again, and the record is not at the target.',
    'Look at the log of the service; then import the rejects file.',
  ),
  'import:second-factor': note(
    'The person arrived, but a second factor was refused; the detail gives the words of the service.',
    'The person has no such factor at the target.',
    'The person enrols again.',
  ),
  'import:link-taken': rejected(
    'Somebody else at the target has this user name, or one of the links to identity providers.',
    'Find out who it is. If it is the same person, remove the record here.',
  ),
  'single:new-id': note(
    'The one-by-one import cannot set the id of a person.',
    'The service chose a new one; the id map file has both.',
    'Take the new ids over where other applications keep the old ones.',
  ),
  'single:otp': note(
    'The one-by-one import takes no one-time password.',
    'The person has none at the target.',
    'The person enrols again; or use `idport import`, which carries it.',
  ),
  'single:recovery-codes': note(
    'The one-by-one import takes no recovery codes.',
    'The person has none at the target.',
    'The person makes new ones; or use `idport import`, which carries them.',
  ),
  'single:metadata': note(
    'The metadata was refused, or `--follow-up none` left it out; the detail gives the words of the service.',
    'The person is at the target without it.',
    'Set it by hand, or mend it and use `idport import` for the metadata.',
  ),
  'single:unknown-owner': note(
    'Metadata or a link in the lists of the body names an id that nobody in it has.',
    'It was not sent: the service would not know for whom it is.',
    'Mend the id in the body; where the person came over earlier, use `idport import` for the list.',
  ),
  'single:state': note(
    'The person was neither deactivated nor locked: that was refused, or `--follow-up none` left it out.',
    'The person is active at the target and can sign in.',
    'Deactivate the person in the console.',
  ),
  'single:link': note(
    'A link to an identity provider was refused, or `--follow-up none` left it out.',
    'The person is at the target without it.',
    'Find out who has the link; the person can also link the account when signing in.',
  ),
} as const satisfies Record<string, Reason>;
