/** Codes of notices, which concern a run or an input as a whole and not a user. The text of each has the details. */
export const notices = {
  'actions:applied': 'The changes of the file were made.',
  'actions:key-kept':
    'The service keeps the signing key: `idport actions target get <id> --signing-key-file=<file>` fetches it.',
  'actions:key-lost':
    'The service showed the signing key once. To verify calls, create the target again with --signing-key-file.',
  'actions:long-timeout': 'The service may give up on the call before the target does. Shorten the timeout.',
  'actions:no-key': 'The service gave no signing key, so calls cannot be verified.',
  'actions:planned': 'These changes would be made. Run the command again with --yes.',
  'api:no-tls':
    'The address begins with http://, so the token and password hashes are not encrypted. Use https.',
  'api:tls-not-verified':
    'Certificates are not checked, so another machine could read the token. Trust the certificate instead.',
  'app:lost': 'The client is migrated without the settings that are named. Set them at the target.',
  'app:no-secrets': 'Client secrets of new applications are shown once. Pass --app-secrets a file.',
  'app:not-compliant':
    'The service calls the settings of the application unsafe or incomplete. Fix them there.',
  'app:not-migrated': 'The client has no counterpart at the target. Create it by hand if it is needed.',
  'app:refused': 'The service refused the application. Create it by hand.',
  'app:written': 'How many clients became applications.',
  'check:users-only': 'The body can be read once, so only its users were checked. Give a file to check all.',
  'config:used': 'Settings that the configuration file gives.',
  'copy:file-kept': 'The file holds password hashes and secrets. Delete it when the copy is verified.',
  'copy:in-bulk': 'Users are copied in bulk, which emails those with an unverified address.',
  'copy:lost':
    'The source could not export these organizations completely, so they are neither imported nor compared.',
  'credentials:readable': 'Other users of this machine can read the file. Limit it to its owner: chmod 600.',
  'delta:vanished':
    'Users of the previous run are gone from the source. --deleted says what becomes of them.',
  'email:unverified':
    'The service created users with an unverified address although the body says that it is verified.',
  'emails:muted':
    'The service sends no email about changed passwords. --resume, idport undo or idport jit remove switches it on again.',
  'emails:over': 'The import would send more emails than --max-emails allows.',
  'emails:unmuted':
    'The run has ended its change to the email about changed passwords. A setting that others have changed since stays.',
  'export:in-bucket': 'The service wrote the export into the bucket.',
  'export:inline':
    'The service answered with the export instead of writing it into the bucket. It was saved.',
  'export:lost': 'The service cannot export these organizations. Export the others with --org.',
  'export:missing': 'The service has no such organizations, so the export does not hold them.',
  'export:references': 'Members and grants of users in other organizations are not in the export.',
  'export:split': 'The export is too large for one answer, so each organization is exported by itself.',
  'hash:unsure': 'The target profile refuses hashes that are sent anyway: the service decides.',
  'id-map:kept': 'The id map of the previous run was renamed, not replaced.',
  'idp:created': 'How many identity providers were created.',
  'idp:existed': 'The target has the identity provider already. It stays as it is.',
  'idp:lost': 'The identity provider is created without the settings that are named. Set them at the target.',
  'idp:map': 'The file has the id of each identity provider. Pass it to the other commands with --idp-map.',
  'idp:no-secret':
    'The identity provider has a placeholder as its secret. Set the secret at the target before users log in.',
  'idp:not-migrated': 'The identity provider is not created, or lacks what is named. Complete it by hand.',
  'idp:refused': 'The service refused the identity provider. Create it by hand and name it with --idp.',
  'import:job-over': 'The service stopped before the import was done. The missing entries are sent again.',
  'import:looking-up': 'An answer was lost. idport looks up what the service has done, then sends the rest.',
  'import:quote': 'How many users and requests the import will take.',
  'import:rehearsed': 'What the import would send. Nothing was sent.',
  'import:same-ids': 'The service has users with the same ids from a run before. They are skipped.',
  'import:bucket': 'Delete the object after an import through a bucket. undo cannot roll the import back.',
  'import:uncounted': 'The service imported these entries itself and reported nothing. They are not counted.',
  'import:v1': 'The service does not know CreateUser: users get new ids and lose TOTP secrets.',
  'input:double-escaped': 'The database doubled every backslash. Export again as the text says.',
  'input:missing-pages':
    'The export has fewer users than it says. Fetch all pages; of Auth0, use an export job.',
  'input:no-credentials': 'The export shows no passwords. Use `kc.sh export`.',
  'input:no-users': 'The file holds no users. Check that it is the right export.',
  'input:null-words': 'Cells hold a word for nothing. Name it in the mapping under source: { null: [...] }.',
  'input:organizations': 'Organizations of the realm are not migrated. --org-by=organization migrates them.',
  'input:other-header':
    'Rows and header differ in their number of columns. Export the table again with its header.',
  'input:realm-half': 'The file has the realm; its users are read from the files next to it.',
  'input:siblings-unread': 'Other files may have users, but are not read. The text says how to read them.',
  'jit:denied-hosts':
    'The service refuses to call private addresses. ZITADEL_HTTPCLIENT_DENYLIST allows them.',
  'jit:listed':
    'How many users are on the list of --jit-list. `idport jit serve` checks their old password, by its hash or at the old system.',
  'jit:lockout': 'Wrong passwords lock users at the target as well.',
  'jit:login-pages':
    'The login pages ask only users who have a password. Convert with --jit-list and --jit-placeholder.',
  'jit:none': 'There is no target of this name. Nothing was changed.',
  'jit:old-login': 'The old built-in login pages do not call the receiver. Use Login V2 or the session API.',
  'jit:password-emails':
    'The service emails users whose password the receiver sets. --mute-org switches it off.',
  'jit:plain-endpoint': 'Passwords travel to the receiver unencrypted. Give it an address with https.',
  'jit:removed': 'The service no longer calls the receiver.',
  'journal:kept': 'The journal of the previous run was renamed, not replaced. idport undo takes it.',
  'journal:unreadable': 'The journal cannot be read, so what its run did is unknown. Restore it.',
  'journal:taken-over':
    'The journal was taken over from another process. That process stops before it writes again.',
  'list:as-of': 'The list of the service is as of this time. Later changes may be missing from it.',
  'list:behind': 'The list of the service lags behind its writes. idport waits for it.',
  'list:not-yet': 'The list of the service is still behind. Run the command again later.',
  'listen:no-key': 'The key file does not exist yet. Calls are refused until it does.',
  'listen:open': 'Other machines can reach the listener. Use --host=127.0.0.1 to prevent that.',
  'listen:ready': 'The listener takes calls at this address.',
  'listen:unchecked': 'Signatures are not checked. Pass --signing-key-file to refuse forged calls.',
  'map:lost-rows': 'Rows of a joined table cannot be joined. Check their key column.',
  'map:no-rows':
    'Tables that the mapping joins were not given, or have no rows that can be joined. The page of the source says how to export them.',
  'map:no-state': 'No record says who is disabled. If the export leaves that out, export it as well.',
  'map:no-table': 'The database lacks tables that the mapping joins, or the account may not read them.',
  'map:unknown-column': 'The mapping names columns that the first records lack. Check how they are written.',
  'map:unread-state':
    'Columns that may say who is disabled are not read. Name them in a mapping for `--map`: `idport map` drafts one, `--print-map` prints a built-in one.',
  'map:unused-column': 'The mapping does not name these columns, so they are not migrated.',
  'map:unused-table':
    'The dump has more tables, which the mapping does not name. Nothing of them is migrated.',
  'merge:joined': 'The files of all shards were joined.',
  'merge:unfinished': 'Some shards have not finished. Resume with the joined journal and without --shard.',
  'messages:forecast': 'How many emails and SMS the service will send.',
  'mfa:join': 'How many factors found their user.',
  'mfa:unmatched-line':
    'Factors of users who are not in the export. Check that both files were exported at the same time.',
  'mfa:unreadable-line': 'Lines with factors cannot be read, and those factors are lost.',
  'org:chosen': 'The service has one organization, and users go to it.',
  'org:created': 'Organizations that the import creates.',
  'org:disabled': 'Organizations are disabled in the source, and active at the target after the import.',
  'org:domain': 'The service refused a domain of the organization. Add it there by hand.',
  'org:found': 'Organizations of the source that the target has already.',
  'org:inactive-membership': 'Memberships that are not active in the source are not migrated.',
  'org:no-match': 'The rule of --org-by finds no organization for any user. Check how the records name it.',
  'org:not-migrated': 'These parts of organizations are not migrated.',
  'org:removed': 'An organization of this id was deleted, and the id stays taken.',
  'org:written': 'How many users go to each organization.',
  'passwords:length': 'A hash does not show how long its password is. Over 72 bytes, the first login fails.',
  'passwords:over': 'More users lack a password hash than --max-without-password allows.',
  'password:ambiguous-line': 'Passwords may belong to several users, who are imported without one.',
  'password:conflicting-line': 'Passwords contradict each other. Their users are imported without one.',
  'password:join': 'How many passwords found their user.',
  'password:not-proved':
    'The password does not match the converted hash. The text says what is known of the cause.',
  'password:outranked-line': 'Passwords share an email with users who have their own. They are left out.',
  'password:over-72-bytes':
    'bcrypt takes 72 bytes, so the first login with this password fails. The user has to set another one.',
  'password:proved': 'The password matches the converted hash.',
  'password:unmatched-line':
    'Passwords of users who are not in the export. Check that both files were exported at the same time.',
  'password:unreadable-line': 'Lines with passwords cannot be read. Their users are imported without one.',
  'profile:chosen': 'What idport assumes that the target accepts. --target-profile names another profile.',
  'rate-store:visible':
    'Other users of this machine can see the password of the store. Use IDPORT_RATE_STORE.',
  'replay:old-signature':
    'The recorded signatures are old, and receivers may refuse them. Sign again with --signing-key-file.',
  'report:differs':
    'The reports differ in what a cutover should have in common. Check that they are of one cutover.',
  'report:kept': 'The run ended before it had a report: that of the previous run was renamed, not replaced.',
  'report:page': 'The page was written. Any browser opens it.',
  'role:added': 'How many projects, roles and project grants were added.',
  'role:removed': 'A project of this id was deleted, and the id stays taken: a new id is used.',
  'role:unknown': '--role-map names roles that the export does not define. Check how they are written.',
  'role:written': 'How many roles and user grants were written.',
  'run:draining': 'The run was stopped and waits for its running calls.',
  'runs:none': 'The folder holds no journal of an import.',
  'serve:log': 'What the reference server did.',
  'serve:open': 'Other machines can reach the reference server. It is for rehearsals only.',
  'serve:private-targets': 'The reference server calls private addresses; the real service does not.',
  'serve:seed': 'The reference server refused an entry of the body that it was started with.',
  'shared-state:visible':
    'Other users of this machine can see the password of the store. Use IDPORT_SHARED_STATE.',
  'sign-in:forecast': 'How many users can sign in after the import, and how.',
  'single:projects': 'The token may not add projects. Grants of their roles are refused.',
  'single:refused-calls':
    'Users are there, but the service refused a call that completes them. Their notes name it.',
  'sms:over': 'The import would send more SMS than --max-sms allows.',
  'target:allowed': 'The token has a permission that the import needs.',
  'target:create-user': 'The service knows CreateUser, so import-users sends no email.',
  'target:login-policy': 'The login policy allows no passwords. Allow them before the cutover.',
  'target:not-allowed': 'The token lacks a permission. The text names a role that has it.',
  'target:organization': 'The organization is not at the target, or the import creates it.',
  'target:reached': 'The service answers, and the token is valid.',
  'target:taken-ids': 'The token may not see which ids deleted users have left taken. The import finds out.',
  'undo:deleted': 'How many users were deleted.',
  'undo:idp': 'The identity provider stays. The text says why.',
  'undo:idps': 'How many identity providers were deleted.',
  'undo:list': 'The file lists all users that would be deleted.',
  'undo:organization': 'The organization stays. The text says why.',
  'undo:organizations': 'How many empty organizations were deleted.',
  'undo:previous': 'A run before this one cannot be rolled back with it. Its users stay.',
  'undo:project': 'The project stays. The text says why.',
  'undo:projects': 'Projects, roles and applications that were deleted.',
  'undo:quote': 'What would be deleted.',
  'undo:refused': 'The service refused to delete the user.',
  'undo:replaced': 'The run was incremental: what it changed or replaced does not come back.',
  'undo:running': 'The import is still running and creates more users. Stop it, then roll it back.',
  'undo:stays': 'The user stays. The text says why.',
  'verify:details':
    'Details of users are compared too, which takes a request each. --details=none skips that.',
  'verify:idp': 'The target lacks the identity provider. Create it, or correct --idp.',
  'verify:idps': 'Identity providers were compared, or the token may not see them.',
  'verify:left-out': 'Records that a conversion with these flags leaves out are not compared.',
  'verify:organization': 'The target lacks the organization, or its name or domain differs.',
  'verify:project': 'The target lacks the project, role or application, or it differs.',
  'verify:rolled-back': 'The users are missing because their import was rolled back.',
  'verify:running':
    'An import of these users was running, so some are not there yet. Run verify after its end.',
  'verify:unknown': 'The service did not answer about a user.',
  'verify:unlisted': 'The service has users that its list does not show. The text says what helps.',
} as const;

export type NoticeCode = keyof typeof notices;

/** Of an import that has not done all that it was asked for, although it may have created every user. */
export const incompleteNotices: ReadonlySet<string> = new Set([
  'copy:lost',
  'app:refused',
  'idp:not-migrated',
  'idp:refused',
  'single:refused-calls',
] satisfies NoticeCode[]);
