/** Why a record is not written: a problem with it, a choice of the run, or the rules of the target. */
import { refused, rejected, skipped, type Reason } from './reason.ts';

export const rejections = {
  'record:not-an-object': rejected(
    'The element is not a JSON object.',
    'Fix the record in the rejects file and use that file.',
  ),
  'record:not-json': rejected(
    'The line is not valid JSON, the row has more or fewer cells than the header, or a line of an LDIF entry is damaged; the detail says where.',
    'Fix the line in the source and convert again.',
  ),
  'record:cut-off': rejected(
    'The file ends in the middle of this record, so users after it may be missing, too.',
    'Export or copy the file again.',
  ),
  'record:too-large': rejected(
    'The record has more than 16 MiB beside long texts, 64 MiB with them, or 200,000 values: many times what the target takes. The detail has its place and size.',
    'Remove from the record in the source what does not move (logs, attributes, metadata) and convert again.',
  ),
  'record:malformed': rejected(
    'A field has a type or a content that cannot be read; the detail names the field.',
    'Fix the field in the rejects file and use that file.',
  ),
  'target:field-rule': refused(
    'A field breaks a rule of the target; the detail names field and rule.',
    'The service refuses this user, in a bulk import with all others in the same request.',
    'Fix the field in the body, or convert again.',
  ),
  'target:wrong-type': refused(
    'A field has another type than the target expects; the detail names it.',
    'The service refuses this user, in a bulk import with all others in the same request.',
    'Fix the field in the body, or convert again.',
  ),
  'target:state': refused(
    'No import can set the state that the detail names.',
    'The service would make the user active.',
    'Write USER_STATE_ACTIVE, USER_STATE_INACTIVE or USER_STATE_LOCKED.',
  ),
  'target:hash': refused(
    'The target does not take the password hash.',
    'The service refuses this user; the others in the request are imported.',
    'Change the setting of the target that the summary names. Or convert again with `--on-refused-hash=drop`.',
  ),
  'target:user-exists': refused(
    'A user at the target already has this user name or id.',
    'The service refuses this user; the existing one stays as it is.',
    'Nothing to do for users of a previous run; else rename or remove one of the two. `idport import-users --since-journal=<journal>` sends changes.',
  ),
  'target:id-taken': refused(
    'The id belonged to a user of an organization that was deleted. Such ids stay taken.',
    'The service refuses this user.',
    'Use another instance. Or import with `idport import --ids=new`, which gives new ids and writes an id map.',
  ),
  'target:foreign-domain': refused(
    'The user name ends in a domain that another organization has verified; the detail names it.',
    'The service refuses this user, unless the policy of the organization adds its own domain to login names.',
    'Import the user into that organization, or rename the user.',
  ),
  'target:identity-provider': refused(
    'The organization of the user cannot use the identity provider of a link; the detail has its id.',
    'The service refuses this user; the others in the request are imported.',
    'Create it for the organization or the instance. Name it with `--idp=<alias>=<id>`; of a body, the alias is that id.',
  ),
  'target:password': refused(
    'The password in plain text is longer than 72 bytes, or weaker than the policy of the organization allows.',
    'The service refuses this user; the others in the request are imported.',
    'Change the password in the body, or leave it out; or change the policy.',
  ),
  'target:phone': refused(
    'The target cannot read the phone number.',
    'The service refuses this user; the others in the request are imported.',
    'Fix or remove the number in the body.',
  ),
  'user-skipped:no-username': rejected(
    'The record has no user name.',
    'Give it one in the rejects file and use that file.',
  ),
  'user-skipped:no-email': rejected(
    'The record has no email address, and the target requires one.',
    'Add the address. `--email-fallback=placeholder --email-domain=<domain>` makes one up, which reaches no user; `--email-fallback=username` takes user names that are addresses.',
  ),
  'user-skipped:invalid-email': rejected(
    'The email address is not one the target can parse.',
    'Correct the address in the rejects file and use that file.',
  ),
  'user-skipped:no-name': rejected(
    'The record has no first or last name, and `--name-fallback=skip` leaves such records out.',
    'Add the names. Another `--name-fallback` fills them.',
  ),
  'user-skipped:field-too-long': rejected(
    'A field that cannot be cut (user name, email, id) is longer than the target allows.',
    'Shorten it in the rejects file and use that file.',
  ),
  'user-skipped:duplicate-username': rejected(
    'Another record of this run has the same user name; the target compares without regard to case.',
    'Rename one of the two. `idport migrate --duplicates=suffix` does it for all; `idport import-users --duplicates=keep` sends both.',
  ),
  'user-skipped:duplicate-id': rejected(
    'Another record of this run has the same id. Nothing of this one is written: no link and no role.',
    'Remove one of the two records. If an SQL join gives a user several rows, add `ORDER BY id` to it: neighboring rows with one id are one user. Or export the joined table by itself (docs/mapping-reference.md, tables).',
  ),
  'user-skipped:refused-hash': rejected(
    'The target would refuse the password hash, and `--on-refused-hash=skip` leaves such users out.',
    'Change the setting of the target that the remedy names. Or choose `--on-refused-hash=drop`.',
  ),
  'user-skipped:no-password': skipped(
    'The record has no usable password, and `--without-password=skip` leaves such users out.',
    'Choose `--without-password=import`; they then have to set a password.',
  ),
  'user-skipped:service-account': skipped(
    'The record is a service account, not a human user.',
    'Choose `--service-accounts=machine-users` to write it.',
  ),
  'user-skipped:federated-storage': skipped(
    'The record extends a user of a federation provider (LDAP) and has neither user name nor email of its own.',
    'Export the users from the directory. Passwords that Keycloak keeps for them are lost.',
  ),
  'user-skipped:disabled': {
    ...skipped(
      'The user is disabled, and `--disabled=skip` leaves such users out.',
      'Choose `--disabled=keep` to carry the state over.',
    ),
    meansDeleted: true,
  },
  'user-skipped:by-mapping': {
    ...skipped(
      'A rule of the mapping leaves this record out, such as a group or a deleted user. The detail names the rule.',
      'Change `where` in the mapping if the user should be written.',
    ),
    meansDeleted: true,
  },
  'user-skipped:exists': skipped(
    'A user with this id or user name was at the target before this run; it was not changed.',
    'Nothing to do if it is the same user. `idport import-users --since-journal=<journal>` sends changes, `idport verify` compares.',
  ),
  'user-skipped:unchanged': skipped(
    'A previous run imported this user, and nothing has changed since.',
    'Nothing to do.',
  ),
  'user-skipped:left': skipped(
    'The user has changed in the source, but none of the changes could be written.',
    'The other notes on the user say why, and what to do.',
  ),
  'user-skipped:not-chosen': skipped(
    '`--user`, `--limit`, `--offset` or `--only-failed` did not select the user.',
    'Nothing to do.',
  ),
} as const satisfies Record<string, Reason>;
