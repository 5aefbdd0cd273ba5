/** Notes on the other data of a user: names, phone, links, roles, attributes, state. */
import { note, type Reason } from './reason.ts';

export const userNotes = {
  'duplicate:kept': note(
    'Another record of this run has the same user name or id, and `--duplicates=keep` writes both.',
    'The target takes the first of the two and refuses the second.',
    'Rename or remove one of the two.',
  ),
  'duplicate:renamed': note(
    'Another record of this run has the same user name, and `--duplicates=suffix` renames the second.',
    'The user logs in with the new name that the detail gives.',
    'Tell the user, or rename the user in the source.',
  ),
  'rows:joined': note(
    'Neighboring rows of the source with the same id are one user, as a join in the export repeats a user.',
    'One user is written, with the links, roles, organizations and metadata of all rows.',
    'Nothing to do, unless the rows are different users: then correct their ids.',
  ),
  'rows:differ': note(
    'Rows of one user say different things in the fields that the detail names.',
    'The first row that has something counts; an address counts as verified and the user as active only where all rows say so.',
    'Check the export: a join should repeat the columns of the user in every row.',
  ),
  'idp:unmapped-alias': note(
    'A link to an identity provider has no counterpart in the target.',
    'The link is not written.',
    'Find the counterpart at the target, or create it (from Keycloak: `idport create-idps`). Name it with `--idp=<alias>=<configId>`.',
  ),
  'idp:missing-id': note(
    'A link to an identity provider has no provider or no user id that can be read.',
    'The link is not written.',
    'The user has to link it again at the first login.',
  ),
  'org:none': note(
    'The source has no organization for the user.',
    'The user goes to the organization of `--org`.',
    'Nothing to do, or name the organization of the user in the source.',
  ),
  'org:unmapped': note(
    'The organization of the user is not in the file of `--org-map`, and `--create-orgs` is not given.',
    'The user goes to the organization of `--org`.',
    'Add the organization that the detail names to the file. Or pass `--create-orgs`.',
  ),
  'org:further': note(
    'The user is in several organizations. At the target, a user belongs to one.',
    'The user goes to the first of them; the detail names the others.',
    'Give the user roles in projects of the others at the target.',
  ),
  'org:role-not-migrated': note(
    'The user has roles or groups in organizations, and they do not become user grants.',
    'They are not written; the detail names them by organization.',
    'Convert with `--roles=new:<name>` and `--org-by=organization`. Those in further organizations need `--further-memberships=grants`. Each organization has to be in the map or created.',
  ),
  'phone:dropped': note(
    'The phone number has no country code, or is not a possible number.',
    'It is not written.',
    'Correct the number in the source. For numbers without a country code, pass `--default-region`.',
  ),
  'phone:left-out': note(
    'The phone number is not verified, and `--phone=drop` leaves such numbers out.',
    'It is not written, and no SMS is sent.',
    'Nothing to do, or convert again with `--phone=keep` or `--phone=assume-verified`.',
  ),
  'phone:doubtful': note(
    'No numbering plan knows the phone number.',
    'It is written unchanged.',
    'Check the number.',
  ),
  'contact:not-migrated': note(
    'The user has more email addresses or phone numbers; the target holds one of each.',
    'They are not written; the detail names them.',
    'Nothing to do, unless the user signs in with one of them: then tell the user the new one.',
  ),
  'name:filled': note(
    'The first or last name was missing.',
    'It was filled as `--name-fallback` says.',
    'Correct the name in the source, or after the import.',
  ),
  'email:placeholder': note(
    'The user has no email address.',
    'A placeholder address was written, marked verified so that no email is sent.',
    'Replace the address after the import.',
  ),
  'email:from-username': note(
    'The user has no email address, and the user name is one.',
    'The user name was written as the address, not verified unless `--email-verified` says so.',
    'Nothing to do.',
  ),
  'field:trimmed': note(
    'A user name or an email address had blanks at an end.',
    'They were removed, as the target removes them; the detail names the field.',
    'Nothing to do.',
  ),
  'field:truncated': note(
    'A field was longer than the target allows, or a phone number had an extension.',
    'It was cut; the detail names it.',
    'Check the field after the import.',
  ),
  'field:cleaned': note(
    'A field held characters that cannot be stored (NUL, lone surrogates), or a name or the key of a role held line ends, tabs or other control characters.',
    'They were removed or replaced by a blank; the detail names the field.',
    'Check the field after the import.',
  ),
  'id:derived': note(
    'The record had no id.',
    'One was derived from realm and user name; the same input gives the same id.',
    'Nothing to do.',
  ),
  'language:unsupported': note(
    'The target has no translation for this language.',
    'It is written anyway; the target falls back to its default.',
    'Nothing to do.',
  ),
  'language:dropped': note('The language tag cannot be read.', 'It is not written.', 'Nothing to do.'),
  'state:needs-v4': note(
    'The user is disabled; servers before version 4 ignore the state.',
    'On such a server the user would be active.',
    'Check the version of the target. For an older one, use `--disabled=skip`.',
  ),
  'state:ends': note(
    'The user is locked until the time that the detail gives.',
    'The user is written as disabled, which has no end.',
    'Activate the user at that time. `--disabled=active` migrates all disabled users as active.',
  ),
  'state:directory-disabled': {
    ...note(
      'The user comes from a directory and is disabled. `kc.sh export` writes such users as disabled when it could not reach the directory.',
      'The user is written like any other disabled one.',
      'If Keycloak shows the user as enabled, export again while the directory is reachable. Its database has the true state.',
    ),
    warns: true,
  },
  'state:assumed-enabled': note(
    'The record does not say whether the user is enabled.',
    'The user is imported as enabled.',
    'Nothing to do.',
  ),
  'attribute:not-migrated': note(
    'The user has custom attributes.',
    'They are not written.',
    'Choose `--metadata=attributes` to carry them as metadata.',
  ),
  'attribute:as-metadata': note(
    'The phone number or language of the user cannot be read.',
    'It is written as metadata, under the name of the attribute that the detail gives.',
    'Correct it in the source, or after the import.',
  ),
  'attribute:dropped': note(
    'A custom attribute has a key or a value that metadata cannot hold, or a number that was rounded.',
    'It is not written; the detail names it.',
    'Shorten it in the source; export large numbers as text.',
  ),
  'role:not-migrated': note(
    'The user has roles in the source.',
    'They are not written: roles are grants of a project in the target.',
    'Create the project roles and grant them after the import. Or convert again with `idport migrate --roles=new:<name>` (or `project:<id>`).',
  ),
  'role:as-metadata': note(
    'The user has roles in the source.',
    'They are written as metadata `roles`, which grants nothing.',
    'Create the project roles and grant them after the import.',
  ),
  'role:built-in': note(
    'The user has roles of the old provider itself, for example to administer it.',
    'They are not written; the detail names them.',
    'Make the users who administer the target managers there.',
  ),
  'role:too-long': note(
    'The key of a role has more than 200 characters.',
    'The user is written without this role; the detail names it.',
    'Shorten the key in the source. `idport migrate --role-map` gives it another.',
  ),
  'role:no-id': note(
    'The user has roles, and the record has no id.',
    'The user is written without roles, because a grant names its user by id.',
    'Grant the roles after the import.',
  ),
  'group:as-metadata': note(
    'The user is in groups in the source.',
    'They are written as metadata `groups`.',
    'Nothing to do.',
  ),
  'group:not-migrated': note(
    'The user is in groups in the source.',
    'They are not written.',
    'Create the groups that you need in the target. Or convert again with `idport migrate --roles=new:<name>` or `--metadata=all`, or with `--org-by=group:/customers/*`.',
  ),
  'required-action:not-migrated': note(
    'The user had an action to do at the next login; the detail names it.',
    'It is not written.',
    'Ask the user, or set it in the target after the import.',
  ),
  'consent:not-migrated': note(
    'The user has consented to what clients ask for.',
    'The consents are not written.',
    'Nothing to do, unless the service asks for consent: then the user consents again.',
  ),
  'account:temporary-admin': note(
    'The account is the bootstrap administrator of the source.',
    'It is written like any other user.',
    'Delete it after the import if it is no longer needed.',
  ),
} as const satisfies Record<string, Reason>;
