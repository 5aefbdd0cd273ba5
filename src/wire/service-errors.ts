/**
 * What the service answers where it refuses a call, by its stable error id: the server answers from this table, the client
 * takes its hints from it, and `idport explain` and docs/api-errors.md print it.
 */
import { grpcCodes, grpcToHttp, type GrpcCode } from './errors.ts';

export interface ServiceErrorKind {
  readonly id: string;
  readonly code: GrpcCode;
  /** The key of its text, or the text where the service does not translate it. */
  readonly key: string;
  /** What helps, as `api/refusals.ts` and `commands/explained.ts` name it. */
  readonly help: string;
  readonly meaning: string;
  /** What kind of call it is about. */
  readonly title: string;
  readonly consequence: string;
}

/** `# title: consequence`, then an error a line: id, gRPC code, key, what helps, meaning. */
const table = `
# One user: The user is not created; in a bulk import the others of the request are.
COMMAND-5N8fs | invalidArgument | Errors.ResourceOwnerMissing | field | no org
COMMAND-00p2b | invalidArgument | Errors.User.Invalid | field | user name of blanks only
PROFILE-RF5z2 | invalidArgument | Errors.User.Profile.FirstNameEmpty | field | no first name
PROFILE-DSUkN | invalidArgument | Errors.User.Profile.LastNameEmpty | field | no last name
EMAIL-599BI | invalidArgument | Errors.User.Email.Invalid | field | address cannot be parsed
EMAIL-599GV | invalidArgument | Errors.User.Email.Invalid | field | address with a display name
EMAIL-spblu | invalidArgument | Errors.User.Email.Empty | field | address is empty, only where no field rule applies
PHONE-so0wa | invalidArgument | Errors.User.Phone.Invalid | field | number cannot be parsed
COMMAND-SFd21 | invalidArgument | Errors.User.DomainNotAllowedAsUsername | field | user name with the verified domain of another org
DOMAIN-HuJf6 | invalidArgument | Errors.User.PasswordComplexityPolicy.MinLength | password | password too short
DOMAIN-co3Xw | invalidArgument | Errors.User.PasswordComplexityPolicy.HasLower | password | password without a lower-case letter
DOMAIN-VoaRj | invalidArgument | Errors.User.PasswordComplexityPolicy.HasUpper | password | password without an upper-case letter
DOMAIN-ZBv4H | invalidArgument | Errors.User.PasswordComplexityPolicy.HasNumber | password | password without a digit
DOMAIN-ZDLwA | invalidArgument | Errors.User.PasswordComplexityPolicy.HasSymbol | password | password without a symbol
CRYPT-5uV9n | invalidArgument | Errors.User.Password.Invalid | hash | cost of the hash outside the limits
CRYPT-r8Qm2 | invalidArgument | Errors.User.Password.Invalid | hash | hash that a verifier cannot read
CRYPT-2xK7d | invalidArgument | Errors.Hash.NotSupported | hash | hash that no verifier knows
COMMAND-39nfs | failedPrecondition | Errors.IDPConfig.NotExisting | missing | provider of a link does not exist
COMMAND-SJI3g | failedPrecondition | Errors.ExternalIDP.CreationNotAllowed | field | provider does not allow creation
V3-DKcYh | alreadyExists | Errors.AlreadyExists | taken | unique value is taken: user name, link, org, project, role, grant
# Bulk import: This entry of the import is not created; the others of the request are.
ORG-lapo2n | alreadyExists | Errors.Org.AlreadyExisting | taken | org is there already
COMM-deLSk | invalidArgument | Errors.Org.Invalid | field | org has no name: it is not there, or was deleted
ORG-4Mlfs | invalidArgument | Errors.Invalid.Argument | field | org without an id
COMMAND-ziuna | failedPrecondition | Errors.User.AlreadyExisting | taken | user id is taken
COMMAND-k2una | failedPrecondition | Errors.User.AlreadyExisting | taken | id of a service account is taken
COMMAND-bs9Ds | invalidArgument | Errors.User.Invalid | field | service account without a name
COMMAND-uXHNj | failedPrecondition | Errors.User.NotFound | missing | user does not exist
COMMAND-4f8sg | failedPrecondition | Errors.User.NotFound | missing | user of a grant does not exist
COMMAND-do9se | alreadyExists | Errors.User.MFA.OTP.AlreadyReady | taken | one-time password is there already
DOMAIN-JDk4t | invalidArgument | Errors.Hash.NotSupported | field | recovery code in an unknown form
COMMAND-53cjw | failedPrecondition | Errors.User.MFA.RecoveryCodes.MaxCountExceeded | field | more recovery codes than allowed
V2-e1wse | alreadyExists | Errors.Already.Exists | taken | domain is there already
COMMA-FfoZO | failedPrecondition | Errors.Org.DomainAlreadyPrimary | taken | domain is the primary one already
COMMA-yKA80 | invalidArgument | Errors.Org.DomainNotVerified | field | domain is not verified
ORG-r3h4J | invalidArgument | Errors.Invalid.Argument | field | domain without a name
ORG-1M8ds | alreadyExists | Errors.Org.DomainPolicy.AlreadyExists | taken | domain policy is there already
Org-2B0ps | alreadyExists | Errors.Org.LabelPolicy.AlreadyExists | taken | label policy is there already
ORG-0olDf | alreadyExists | Errors.ORG.LockoutPolicy.AlreadyExists | taken | lockout policy is there already
Org-Dgfb2 | alreadyExists | Errors.Org.LoginPolicy.AlreadyExists | taken | login policy is there already
Org-LdhbS | alreadyExists | Errors.Org.PasswordComplexityPolicy.AlreadyExists | taken | password complexity policy is there already
Org-0oLpd | alreadyExists | Errors.Org.PrivacyPolicy.AlreadyExists | taken | privacy policy is there already
Org-1J8fs | alreadyExists | Errors.IDPConfig.AlreadyExisting | taken | provider is there already
Org-eUpQU | invalidArgument | Errors.IDPConfig.Invalid | field | provider without its settings
COMMAND-bnipwm1 | failedPrecondition | Errors.User.NotFound | missing | user of a machine key does not exist
COMMAND-091mops | alreadyExists | Errors.User.Machine.Key.AlreadyExists | taken | machine key is there already
COMMAND-vzktar7b7f | failedPrecondition | Errors.User.NotFound | missing | user of a link does not exist
COMMAND-39nf2 | failedPrecondition | Errors.IDPConfig.NotExisting | missing | provider of a link does not exist
COMMAND-opamwu | alreadyExists | Errors.Project.AlreadyExisting | taken | project is there already
COMMAND-EbFMN | failedPrecondition | Errors.Project.NotFound | missing | project does not exist
PROJECT-34Fm0 | invalidArgument | Errors.Project.App.Invalid | field | application without its settings
PROJECT-lxowmp | alreadyExists | Errors.Project.App.AlreadyExisting | taken | application is there already
COMMAND-4m9vS | failedPrecondition | Errors.Project.App.NotFound | missing | application of a key does not exist
COMMAND-eg2gf | invalidArgument | Errors.Action.Invalid | field | script without its content
COMMAND-nau2k | alreadyExists | Errors.Action.AlreadyExisting | taken | script is there already
COMMAND-Nfh52 | failedPrecondition | Errors.Flow.NoChanges | field | trigger does not change anything
COMMAND-Dfhj5 | invalidArgument | Errors.Flow.FlowTypeMissing | field | trigger without a flow
COMMAND-dg422 | failedPrecondition | Errors.Flow.ActionIDsNotExist | missing | trigger with a script that does not exist
COMMAND-3m9gg | failedPrecondition | Errors.Org.NotFound | missing | granted org does not exist
COMMAND-6m9gd | failedPrecondition | Errors.Project.Role.NotFound | missing | role of a grant does not exist
ORG-poWwe | alreadyExists | Errors.Org.Member.AlreadyExists | taken | member is there already
ORG-GoXOn | failedPrecondition | Errors.User.NotFound | missing | member does not exist
Org-4N8es | invalidArgument | Errors.Org.MemberInvalid | field | member with a role that no org has
PROJECT-37fug | alreadyExists | Errors.AlreadyExists | taken | member of a project grant is there already
PROJECT-PtXi1 | alreadyExists | Errors.Project.Member.AlreadyExists | taken | member of a project is there already
ORG-lapo2m | alreadyExists | Errors.Org.AlreadyExisting | taken | older id of an org that is there already
# Limits: Every call is refused, and the run stops; the journal keeps what is done.
LIMITS-molsj | resourceExhausted | Errors.Limits.Instance.Blocked | blocked | instance is blocked
QUOTA-vjAy8 | resourceExhausted | Quota.Access.Exhausted | quota | quota is used up
# Tokens and permissions: The call is refused and nothing was done; the run stops.
AUTH-toLo1 | unauthenticated | invalid auth header | token-form | header is not a bearer token
AUTH-7fs1e | unauthenticated | Errors.Token.Invalid | token | token is unknown or over
AUTH-Bs7Ds | permissionDenied | Organisation doesn't exist | org | org of the header does not exist
AUTHZ-cdgFk | notFound | membership not found | no-role | caller has no role in the org
AUTH-5mWD2 | permissionDenied | No matching permissions found | role | caller may not
AUTH-3jknH | permissionDenied | No matching permissions found | role | caller may not, in a variant for things with owners
AUTH-AWfge | permissionDenied | No matching permissions found | role | caller may not, inside a handler of version 2
# Actions: The call is refused and nothing was changed.
SCHEMA-141bwx3lef | failedPrecondition | Errors.action.NotEnabled | feature | feature is not enabled (first generation)
COMMAND-39f35d8uri | invalidArgument | Errors.Target.NoTimeout | request | target without a timeout
COMMAND-1r2k6qo6wg | invalidArgument | Errors.Target.InvalidURL | request | endpoint that cannot be parsed
COMMAND-NcJUKo | invalidArgument | Errors.Target.DeniedURL | endpoint | endpoint that is no web address, or at a denied host
COMMAND-08b39vdi57 | invalidArgument | Errors.Target.NoTimeout | request | change to no timeout
COMMAND-jsbaera7b6 | invalidArgument | Errors.Target.InvalidURL | request | change to an endpoint that is no URL
COMMAND-xj14f2cccn | notFound | Errors.Target.NotFound | target | target to change does not exist
COMMAND-k4s7ucu0ax | notFound | Errors.Target.NotFound | missing | target to delete does not exist (first generation)
QUERY-hj5oaniyrz | notFound | Errors.Target.NotFound | target | target to read does not exist
COMMAND-vysplsevt8 | notFound | Errors.Execution.ConditionInvalid | name | method does not exist
COMMAND-qu6dfhiioq | notFound | Errors.Execution.ConditionInvalid | name | service does not exist
COMMAND-cdy39t0ksr | notFound | Errors.Execution.ConditionInvalid | name | function does not exist
COMMAND-74aaqj8fv9 | notFound | Errors.Execution.ConditionInvalid | name | event does not exist
COMMAND-er5oneb5lz | notFound | Errors.Execution.ConditionInvalid | name | group of events does not exist
COMMAND-17e8fq1ggk | notFound | Errors.Target.NotFound | targets | target of an execution does not exist, or is named twice
COMMAND-slgj0l4cdz | notFound | Errors.Execution.IncludeNotFound | missing | included execution does not exist
COMMAND-suq2upd3rt | notFound | Errors.Execution.NotFound | missing | execution to delete does not exist
COMMAND-56bteot2uj | invalidArgument | Errors.Execution.NoTargets | request | execution without targets (first generation)
COMMAND-3tkej630e6 | invalidArgument | Errors.Execution.Invalid | request | condition on calls says nothing
COMMAND-w5smb6v7qu | invalidArgument | Errors.Execution.Invalid | request | condition on events says nothing
ACTION-5r5Ju | invalidArgument | Errors.Execution.ConditionInvalid | request | no condition
EXEC-dra6yamk98 | failedPrecondition | Errors.Execution.Failed | receiver | receiver failed
EXEC-reUaUZCzCp | unknown | - | receiver | receiver forwarded a status
EXEC-bmhNhpcqpF | failedPrecondition | Errors.Execution.Failed | receiver | receiver forwarded what is no refusal
IDPORT-badKey | invalidArgument | Errors.Target.PublicKeyInvalid | request | public key cannot be read
IDPORT-keyActive | failedPrecondition | Errors.Target.PublicKeyActive | request | active public key cannot be removed
IDPORT-noKey | notFound | Errors.Target.PublicKeyNotFound | missing | public key does not exist
# Creating users: The user is not created.
COMMAND-7yiox1isql | failedPrecondition | Errors.User.AlreadyExisting | taken | user id is taken
COMMA-HuJf6 | invalidArgument | Errors.User.PasswordComplexityPolicy.MinLength | password | password too short
COMMA-co3Xw | invalidArgument | Errors.User.PasswordComplexityPolicy.HasLower | password | password without a lower-case letter
COMMA-VoaRj | invalidArgument | Errors.User.PasswordComplexityPolicy.HasUpper | password | password without an upper-case letter
COMMA-ZBv4H | invalidArgument | Errors.User.PasswordComplexityPolicy.HasNumber | password | password without a digit
COMMA-ZDLwA | invalidArgument | Errors.User.PasswordComplexityPolicy.HasSymbol | password | password without a symbol
USER-Dbgth | invalidArgument | Errors.User.Metadata.ValueEmpty | field | metadata without a value
USERv2-j0z7uy | invalidArgument | Metadata must not be set on both the user and human fields | field | metadata both of the user and of the human
DOMAIN-ieYa7 | invalidArgument | Errors.User.URLTemplate.Invalid | field | template of a link with an unknown field
COMMAND-QXPGs | failedPrecondition | Errors.Org.NotFound | missing | org does not exist
USER-UCej2 | invalidArgument | Errors.User.Profile.FirstNameEmpty | field | no first name
USER-4hB7d | invalidArgument | Errors.User.Profile.LastNameEmpty | field | no last name
USER-Drght | invalidArgument | Errors.User.Metadata.KeyEmpty | field | metadata without a key
V2-zzad3 | invalidArgument | Errors.Invalid.Argument | field | no user name
COMMAND-ugjs0upun6 | notFound | Errors.User.NotFound | missing | user to change does not exist
COMMAND-M9dse | failedPrecondition | Errors.User.NotInitialised | field | initial user cannot get a password
COMMAND-2M9fs | failedPrecondition | Errors.User.Code.NotFound | field | no code was sent
# Signing in: The user is not signed in; nothing else was changed.
COMMAND-3M0fs | invalidArgument | Errors.User.Password.Invalid | request | wrong password
COMMAND-CahN2 | internal | Errors.Internal | hash | hash that cannot be verified, or password over 72 bytes
COMMAND-3nJ4t | failedPrecondition | Errors.User.Password.NotSet | request | user has no password
COMMAND-JLK35 | failedPrecondition | Errors.User.Locked | request | user is locked
COMMAND-Sfw3f | failedPrecondition | Errors.User.UserIDMissing | missing | no user to check
SESSION-Gj4ko | failedPrecondition | Errors.User.NotActive | request | user is not active
COMMAND-Df4b3 | failedPrecondition | Errors.User.NotActive | request | older id of a user who is not active
EVENT-8isk2 | invalidArgument | Errors.User.MFA.OTP.InvalidCode | request | wrong TOTP code
COMMAND-3Mif9s | failedPrecondition | Errors.User.MFA.OTP.NotReady | request | user has no TOTP
COMMAND-SF3fg | failedPrecondition | Errors.User.Locked | request | user is locked, at a check of TOTP
COMMAND-8N9ds | invalidArgument | Errors.User.UserIDMissing | missing | no user to check TOTP of
QUERY-SFeaa | notFound | Errors.Session.NotExisting | missing | session to read does not exist
COMMAND-Flk38 | failedPrecondition | Errors.Session.NotExisting | missing | session to change does not exist
COMMAND-Hewfq | failedPrecondition | Errors.Session.Terminated | request | session to change has ended
COMMAND-Hkl3d | failedPrecondition | Errors.Session.Expired | request | session to change has expired
COMMAND-sGr42 | permissionDenied | Errors.Session.Token.Invalid | request | session token is wrong
OIDC-VoXo6 | invalidArgument | Errors.User.Machine.Secret.Invalid | secret | wrong client secret
# Users, metadata, grants, policies: The call is refused and nothing was changed.
Org-xa08n2 | alreadyExists | Errors.Org.NotificationPolicy.AlreadyExists | taken | notification policy is there already
ORG-x029n3 | notFound | Errors.Org.NotificationPolicy.NotFound | request | organization has no notification policy to change
Org-ioqnxz | failedPrecondition | Errors.Org.NotificationPolicy.NotChanged | request | notification policy is not changed
ORG-x029n1s | notFound | Errors.Org.NotificationPolicy.NotFound | request | organization has no notification policy to remove
META-9mm2d | failedPrecondition | Errors.Metadata.NoData | request | empty list of metadata
META-2nnds | notFound | Errors.Metadata.KeyNotExisting | missing | a metadata key does not exist
META-ncnw3 | notFound | Errors.Metadata.NotFound | request | metadata without a key
QUERY-4M0fs | invalidArgument | Errors.Query.LimitExceeded | request | more than a page may have
COMMAND-7c0nx | invalidArgument | Errors.User.RecoveryCodes.CountInvalid | request | not one to ten recovery codes are asked for
COMMAND-8f2k9 | alreadyExists | Errors.User.MFA.RecoveryCodes.MaxCountExceeded | request | more recovery codes than a user may have
COMMAND-SAF4f | notFound | Errors.User.NotFound | missing | user of a new password does not exist
COMMAND-Sfe4g | failedPrecondition | Errors.User.NotInitialised | request | initial user cannot reset a password
COMMAND-Wgvn4 | failedPrecondition | Errors.User.NotFound | missing | invited user does not exist
COMMAND-EF34g | failedPrecondition | Errors.User.AlreadyInitialised | taken | invited user can sign in already
QUERY-AG4gs | internal | Errors.Internal | request | more than 65,535 values in one search
USER-zsQ97 | invalidArgument | Errors.Query.TooManyNestingLevels | request | queries nested more than 20 deep
QUERY-Dfbg2 | notFound | Errors.User.NotFound | missing | user does not exist
MANAG-fpo4B | notFound | Errors.User.NotFound | request | user belongs to another org
QUERY-Rgh32 | notFound | Errors.Metadata.NotFound | missing | metadata does not exist
QUERY-leq5Q | notFound | Errors.Org.NotFound | org | org does not exist
COMMA-aps2n | notFound | Errors.Org.NotFound | missing | org to delete does not exist
COMMA-wG9p1 | failedPrecondition | Errors.Org.DefaultOrgNotDeletable | request | the default org cannot be deleted
QUERY-iTTGJ | notFound | Errors.Org.NotFound | org | older id of an org that does not exist
COMMAND-ke0fw | notFound | Errors.User.CantDeactivateInitial | request | initial user cannot be deactivated
COMMAND-5M0sf | failedPrecondition | Errors.User.AlreadyInactive | taken | user is inactive already
COMMAND-m9od | notFound | Errors.User.NotFound | missing | user to delete does not exist
COMMAND-3M9ds | notFound | Errors.User.NotFound | missing | user to deactivate does not exist
COMMAND-6M0sf | failedPrecondition | Errors.User.NotInactive | request | user is not inactive
COMMAND-4M0sd | notFound | Errors.User.NotFound | missing | user to reactivate does not exist
COMMAND-3NN8v | failedPrecondition | Errors.User.ShouldBeActiveOrInitial | request | user to lock is neither active nor initial
COMMAND-5M9fs | notFound | Errors.User.NotFound | missing | user to lock does not exist
COMMAND-4M0ds | failedPrecondition | Errors.User.NotLocked | request | user is not locked
COMMAND-M0dos | notFound | Errors.User.NotFound | missing | user to unlock does not exist
COMMAND-gvx4kct9r2 | failedPrecondition | Errors.User.CantDeactivateInitial | request | initial user cannot be deactivated (version 2)
COMMAND-5gunjw0cd7 | failedPrecondition | Errors.User.AlreadyInactive | taken | user is inactive already (version 2)
COMMAND-5gp2p62iin | notFound | Errors.User.NotFound | missing | user to deactivate does not exist (version 2)
COMMAND-s5qqcz97hf | failedPrecondition | Errors.User.NotInactive | request | user is not inactive (version 2)
COMMAND-9hy5kzbuk6 | notFound | Errors.User.NotFound | missing | user to reactivate does not exist (version 2)
COMMAND-lgws8wtsqf | failedPrecondition | Errors.User.ShouldBeActiveOrInitial | request | user to lock is neither active nor initial (version 2)
COMMAND-450yxuqrh1 | notFound | Errors.User.NotFound | missing | user to lock does not exist (version 2)
COMMAND-olb9vb0oca | failedPrecondition | Errors.User.NotLocked | request | user is not locked (version 2)
COMMAND-x377t913pw | notFound | Errors.User.NotFound | missing | user to unlock does not exist (version 2)
COMMAND-bd4ir1mblj | notFound | Errors.User.NotFound | missing | user to delete does not exist (version 2)
COMMAND-4m9ff | failedPrecondition | Errors.Project.Grant.NotFound | missing | project of a grant does not exist, or is another org's
COMMAND-m9gsd | failedPrecondition | Errors.Project.NotFound | missing | project to grant to another org does not exist
PROJECT-ckUpbvboAH | failedPrecondition | Errors.Project.Grant.Invalid | request | project granted to its own org
COMMAND-mm9F4 | failedPrecondition | Errors.Project.Role.NotFound | missing | role of a grant does not exist
COMMAND-huvKF | failedPrecondition | Errors.Project.Grant.NotFound | missing | grant of the project does not exist
COMMAND-1My0t | notFound | Errors.UserGrant.NotFound | missing | grant to remove does not exist
COMMAND-3M9sd | notFound | Errors.Project.NotFound | missing | project to remove does not exist
PROJECT-1n8df | invalidArgument | Errors.Project.App.Invalid | request | application without the grant type of a response type, or with an origin that is none
PROJECT-msNebo | invalidArgument | Errors.Project.App.Blocked.BackchannelLogoutURL | request | application with a back-channel logout URI that cannot be called
MANAG-SFf2a | notFound | Errors.Project.App.NotFound | request | application of another org
QUERY-pCP8P | notFound | Errors.App.NotExisting | missing | application does not exist
QUERY-fk2fs | notFound | Errors.Project.NotFound | missing | project does not exist
COMMAND-0po9s | notFound | Errors.Project.App.NotExisting | missing | application to remove does not exist
COMMAND-2g66f | notFound | Errors.Project.App.NotExisting | missing | application that is to get a secret does not exist
COMMAND-Ghrh3 | invalidArgument | Errors.Project.App.IsNotOIDC | request | application that is to get a secret is no OIDC application
COMMAND-aeH4 | invalidArgument | Errors.Project.App.IsNotAPI | request | application that is to get a secret is no API application
ORG-Sgtj5 | invalidArgument | Errors.Invalid.Argument | request | identity provider with a blank name
ORG-Se3tg | notFound | Errors.Org.IDPConfig.NotExisting | missing | identity provider to remove does not exist, or is the instance's
PROJECT-D8JxR | notFound | Errors.Project.Grant.NotFound | missing | grant of a project to remove does not exist
COMMAND-Df2f1 | failedPrecondition | Errors.User.WrongType | request | user is no service account
COMMAND-Dggw2 | failedPrecondition | Errors.User.NotFound | missing | service account does not exist
DOMAIN-dv3t5 | invalidArgument | Errors.AuthNKey.ExpireBeforeNow | request | date of expiry is over
USER-JDk4t | invalidArgument | Errors.Hash.NotSupported | hash | older id of an unknown hash
# Any call: The call is refused.
RECOVER | internal | Errors.Internal | panic | the service failed inside
`;

/** The texts of keys, in English. */
const texts = `
Errors.User.AlreadyExists = User already exists
Errors.User.NotFound = User could not be found
Errors.User.NotInitialised = User is not yet initialized
Errors.User.AlreadyInactive = User already inactive
Errors.User.NotInactive = User is not inactive
Errors.User.ShouldBeActiveOrInitial = User is not active or initial
Errors.User.NotLocked = User is not locked
Errors.User.CantDeactivateInitial = User with state initial can only be deleted not deactivated
Errors.User.URLTemplate.Invalid = URL Template is invalid
Errors.User.Invalid = User data is invalid
Errors.User.Locked = User is locked
Errors.User.WrongType = Not allowed for this user type
Errors.User.DomainNotAllowedAsUsername = Domain is already reserved and cannot be used
Errors.User.Email.Invalid = Email is invalid
Errors.User.Email.Empty = Email is empty
Errors.User.Phone.Invalid = Phone is invalid
Errors.User.Profile.Empty = Profile is empty
Errors.User.Profile.FirstNameEmpty = First name in profile is empty
Errors.User.Profile.LastNameEmpty = Last name in profile is empty
Errors.User.Password.Invalid = Password is invalid
Errors.User.Password.NotSet = User has not set a password
Errors.User.PasswordComplexityPolicy.MinLength = Password is too short
Errors.User.PasswordComplexityPolicy.HasLower = Password must contain lower case
Errors.User.PasswordComplexityPolicy.HasUpper = Password must contain upper case
Errors.User.PasswordComplexityPolicy.HasNumber = Password must contain number
Errors.User.PasswordComplexityPolicy.HasSymbol = Password must contain symbol
Errors.User.ExternalIDP.AlreadyExists = External IDP already taken
Errors.User.UserIDMissing = User ID missing
Errors.User.Machine.Secret.Invalid = Secret is invalid
Errors.User.MFA.OTP.InvalidCode = Invalid code
Errors.User.MFA.OTP.NotReady = Multifactor OTP (OneTimePassword) isn't ready
Errors.IDPConfig.NotExisting = Identity Provider Configuration doesn't exist
Errors.Org.NotFound = Organisation not found
Errors.Org.DefaultOrgNotDeletable = Default Organisation must not be deleted
Errors.Org.NotExisting = Organisation doesn't exist
Errors.Org.AlreadyExists = Organisation's name or id already taken
Errors.Org.Invalid = Organisation is invalid
Errors.Project.AlreadyExists = Project already exists on organization
Errors.Project.NotFound = Project not found
Errors.Project.Grant.AlreadyExists = Project Grant already exists
Errors.Project.Grant.Invalid = Project Grant is invalid
Errors.Project.Grant.NotFound = Project Grant not found
Errors.Project.Role.AlreadyExists = Role already exists
Errors.Project.App.AlreadyExists = Application already exists
Errors.Project.App.Invalid = Application invalid
Errors.Project.App.NotExisting = Application doesn't exist
Errors.Project.App.NotFound = Application not found
Errors.Project.App.IsNotOIDC = Application is not type OIDC
Errors.Project.App.IsNotAPI = Application is not type API
Application.OIDC.V1.NotCompliant = Your configuration is not compliant and differs from OIDC 1.0 standard.
Application.OIDC.V1.NoRedirectUris = At least one redirect uri must be registered.
Application.OIDC.V1.Code.RedirectUris.CustomOnlyForNative = Grant type "code" only allows custom redirect uris for apptype "native"  (e.g appname:// )
Application.OIDC.V1.Implicit.RedirectUris.HttpNotAllowed = Grant type implicit doesn't allow http redirect uris
Application.OIDC.V1.Native.AuthMethodType.NotNone = Native applications should have authmethodtype none.
Application.OIDC.V1.Native.RedirectUris.MustBeHttpLocalhost = Redirect URIs must begin with your own protocol, http://127.0.0.1, http://[::1] or http://localhost.
Application.OIDC.V1.UserAgent.AuthMethodType.NotNone = User agent application should have authmethodtype none.
Errors.UserGrant.AlreadyExists = User grant already exists
Errors.UserGrant.NotFound = User grant not found
Errors.UserGrant.Invalid = User grant is invalid
Errors.Metadata.NoData = Metadata list is empty
Errors.Metadata.NotFound = Metadata not found
Errors.Metadata.KeyNotExisting = One or more keys do not exist
Errors.Query.LimitExceeded = Limit exceeded
Errors.Query.TooManyNestingLevels = Too many query nesting levels (Max 20)
Errors.Limits.Instance.Blocked = Errors.Limits.Instance.Blocked
Errors.ExecutionFailed = Execution failed
Errors.Target.NotFound = Target not found
Errors.Target.NoTimeout = Target has no timeout
Errors.Target.InvalidURL = Target has an invalid URL
Errors.Execution.Invalid = Execution is invalid
Errors.Execution.ConditionInvalid = Execution condition is invalid
Errors.Execution.Failed = Execution failed
Errors.Execution.NotFound = Execution not found
Errors.Execution.IncludeNotFound = Include not found
Errors.Execution.NoTargets = No targets defined
`;

function readTable(): Map<string, ServiceErrorKind> {
  const found = new Map<string, ServiceErrorKind>();
  let [title, consequence] = ['', ''];
  for (const line of table.trim().split('\n')) {
    const heading = /^# ([^:]+): (.+)$/.exec(line);
    if (heading !== null) [, title = '', consequence = ''] = heading;
    else {
      const [id = '', code, key = '', help = '', meaning = ''] = line.split(' | ');
      found.set(id, {
        id,
        code: grpcCodes[code as keyof typeof grpcCodes],
        key,
        help,
        meaning,
        title,
        consequence,
      });
    }
  }
  return found;
}

export const serviceErrors: ReadonlyMap<string, ServiceErrorKind> = readTable();

export const statusOf = ({ code }: ServiceErrorKind): number => grpcToHttp[code] ?? 500;

export const errorTexts: ReadonlyMap<string, string> = new Map(
  texts
    .trim()
    .split('\n')
    .map((line) => line.split(' = ') as [string, string]),
);
