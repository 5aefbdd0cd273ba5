/** What an import could not import, or found to exist at the target. */
import { note, rejected, skipped, type Reason } from './reason.ts';

const inBulk = 'Use `idport import`. It takes the body of `--rejects`, or that of `idport migrate`.';

/** Returns the remedy for any entry of a body. `check` only writes users to the rejects file. */
const fixAndImport = (what: string) =>
  `${what} in the rejects file (after \`check\`: in the body) and import that file.`;

export const imports = {
  'import:exists': rejected(
    'A user with this id already exists at the target, which `--on-existing=fail` counts as a failure.',
    'Nothing was changed. Leave out `--on-existing=fail` to skip such users.',
  ),
  'import:name-taken': rejected(
    'Another user at the target has this user name.',
    'Check which user it is. If it is the same user under another id, remove the record here; else rename one.',
  ),
  'import:id-taken': rejected(
    'The id is taken in another organization, or was in one that was deleted, whose ids stay taken.',
    'Use another instance. Or import these users with `--ids=new`, which gives new ids and writes an id map.',
  ),
  'import:refused': rejected(
    'The service refused this record; the detail has its message, and the error id for `idport explain`.',
    'Fix the record in the rejects file and import that file.',
  ),
  'import:hash-refused': rejected(
    'The service refused the password hash of this user.',
    '`idport check` names the setting of the service to change; then import the rejects file. Or leave the hash out.',
  ),
  'import:field-rule': rejected(
    'The record breaks a field rule. The service would refuse the whole request.',
    fixAndImport('Fix the field that the detail names'),
  ),
  'import:unreadable': rejected(
    'The service could not read this record; the detail says why.',
    fixAndImport('Fix the record'),
  ),
  'import:breaks-service': rejected(
    'The service would crash on this record.',
    fixAndImport('Fix the record'),
  ),
  'import:ignored': rejected('The bulk import ignores texts of this kind.', 'Set them in the console.'),
  'import:too-large': rejected(
    'The record alone is larger than the service takes.',
    fixAndImport('Make it smaller'),
  ),
  'import:unconfirmed': rejected(
    'The answer was lost again and again; the record may still be at the target.',
    'Look at the log of the service. Then run the import with `--resume`, which looks for the record before it sends it again.',
  ),
  'import:second-factor': note(
    'The user was imported, but a second factor was refused; the detail says why.',
    'The user has no such factor at the target.',
    'The user has to enroll again.',
  ),
  'import:email-unverified': note(
    'The address is verified in the source, the user has no password, and setting it to verified was refused.',
    'The address is unverified at the target until the user answers the initialization email.',
    'Nothing to do; or set it to verified in the console.',
  ),
  'import:link-taken': rejected(
    'Another user at the target has this user name, or one of the linked logins.',
    'Check which user it is, in the source too. If it is the same user, remove the record here; else remove the linked login from one of them.',
  ),
  'single:new-id': note(
    'The user has a new id: the old one is a number of up to 14 digits, has a slash or more than 200 characters, is taken, or `--ids=new` or `--api=v1` was given.',
    'The id map file has both.',
    'Use the new ids in applications that store the old ones. With `--id-prefix=app-`, the number 7 becomes app-7.',
  ),
  'single:changed': note(
    'A previous run created the user, and the source has changed since.',
    'The user was changed in place and keeps the id. A rollback does not restore the earlier values.',
    'Nothing to do.',
  ),
  'delta:kept': note(
    'The source and the service have both changed these parts of the user since the previous run.',
    'They stay as they are at the service.',
    'Compare them, and set what is right in the console.',
  ),
  'delta:initial': note(
    'The user has not answered the initialization email of version 1. The service takes no password hash until then.',
    'The user cannot sign in.',
    'Let the user answer the email. Or delete the user in the console and import this one alone with `--user`, not incrementally, with another journal.',
  ),
  'delta:password': note(
    'The source no longer has a password hash of this user that the target accepts.',
    'The user keeps the password of the previous run.',
    '`idport jit serve` with a list of `--jit-placeholder` takes the new password too. To stop the old one, deactivate the user in the console.',
  ),
  'delta:totp': note(
    'The TOTP secret was added, changed or removed in the source since the previous run. No call of the service changes it.',
    'The user has the TOTP secret of the previous run, or none.',
    'Remove an old factor in the console; the user sets up a new one.',
  ),
  'delta:verified': note(
    'The source no longer marks the address as verified.',
    'It stays verified at the service.',
    'Nothing to do.',
  ),
  'delta:links': note(
    'A link to an identity provider is gone from the source since the previous run.',
    'The user keeps the link at the service, and can still sign in with it.',
    'Remove it in the console if the user must not use it.',
  ),
  'delta:left': note(
    'The source has other roles or another organization for the user now, and an incremental run changes neither.',
    'The user keeps those at the service. Each run says so until both agree.',
    'Change the roles in the console. For another organization, delete the user there and import this one alone with `--user`, not incrementally, with another journal.',
  ),
  'user-skipped:gone': skipped(
    'A previous run created the user, who has been deleted at the service since.',
    'Nothing. To create the user again, import this one alone with `--user`, not incrementally, with another journal.',
  ),
  'single:otp': note(
    'Version 1 of the API takes no TOTP secret one by one.',
    'The user has none at the target.',
    'The user enrolls again; or use `idport import`, which carries it.',
  ),
  'single:recovery-codes': rejected('The user has recovery codes, which only the bulk import takes.', inBulk),
  'single:totp-secret': rejected(
    'The TOTP secret is not base32: the service would take it, and no code would ever be right.',
    'Fix the secret in the rejects file, or remove it there, and import that file.',
  ),
  'single:long-hash': rejected(
    'The password hash is longer than 200 characters, which only the bulk import takes.',
    inBulk,
  ),
  'single:email': rejected('CreateUser refuses the email address; the detail says why.', inBulk),
  'single:metadata': note(
    'The metadata was refused; the detail says why.',
    'The user is at the target without it.',
    'Set it by hand, or fix it and use `idport import` for the metadata.',
  ),
  'single:unknown-owner': note(
    'Metadata, a link or a grant in the lists of the body names an id that no user in it has.',
    'It was not sent: the service would not know the user.',
    'Fix the id in the body; where the user was imported earlier, use `idport import` for the list.',
  ),
  'single:rejected-owner': note(
    'A grant in the lists of the body is of a user who was rejected.',
    'It was not sent.',
    'Fix the user in the rejects file and import that: it has the grant, too.',
  ),
  'single:state': note(
    'The service refused to deactivate or lock the user.',
    'The user is active at the target and can sign in.',
    'Deactivate the user in the console.',
  ),
  'single:grant': note(
    'The service refused roles of the user; the detail has its message.',
    'The user is at the target without them.',
    'Grant them in the console, or fix it and use `idport import` for the grants.',
  ),
  'single:link': note(
    'A link to an identity provider in the lists of the body is not valid.',
    'The user is at the target without it.',
    'Find out who has the link; the user can also link the account when signing in.',
  ),
} as const satisfies Record<string, Reason>;
