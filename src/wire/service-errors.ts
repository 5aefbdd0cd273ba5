/**
 * The refusals of the service by their stable error id. The server answers from this table, the client takes its hints from it,
 * and `idport explain` and docs/api-errors.md print it.
 */
import { grpcCodes, type GrpcCode } from './errors.ts';

export interface ServiceErrorKind {
  readonly id: string;
  readonly code: GrpcCode;
  /** Key of the error's text, or the text itself if the service does not translate it. */
  readonly key: string;
  /** Name of the remedy in `api/refusals.ts` and `commands/explain.ts`. */
  readonly help: string;
  readonly meaning: string;
  /** Kind of call that is refused. */
  readonly title: string;
  readonly consequence: string;
}

/** Each error: key, meaning, and the remedy if it is not that of the code. */
type Row = readonly [key: string, meaning: string, help?: string];
type CodeName = keyof typeof grpcCodes;

const helpOf: Readonly<Record<string, string>> = {
  invalidArgument: 'field',
  notFound: 'missing',
  failedPrecondition: 'missing',
  alreadyExists: 'taken',
};

interface Section {
  readonly title: string;
  readonly consequence: string;
  /** By gRPC code and id. */
  readonly errors: { readonly [Code in CodeName]?: Readonly<Record<string, Row>> };
}

// One error per line.
// prettier-ignore
const sections = [
  { title: 'One user', consequence: 'The user is not created; in a bulk import the others of the request are.', errors: {
    invalidArgument: {
      'COMMAND-5N8fs': ['Errors.ResourceOwnerMissing', 'no organization'],
      'COMMAND-00p2b': ['Errors.User.Invalid', 'user name of blanks only'],
      'PROFILE-RF5z2': ['Errors.User.Profile.FirstNameEmpty', 'no first name'],
      'PROFILE-DSUkN': ['Errors.User.Profile.LastNameEmpty', 'no last name'],
      'EMAIL-599BI': ['Errors.User.Email.Invalid', 'address cannot be parsed'],
      'EMAIL-599GV': ['Errors.User.Email.Invalid', 'address with a display name'],
      'EMAIL-spblu': ['Errors.User.Email.Empty', 'address is empty, only where no field rule applies'],
      'PHONE-so0wa': ['Errors.User.Phone.Invalid', 'number cannot be parsed'],
      'COMMAND-Di2ei': ['Errors.User.DomainNotAllowedAsUsername', 'new user name with the verified domain of another organization'],
      'COMMAND-SFd21': ['Errors.User.DomainNotAllowedAsUsername', 'user name with the verified domain of another organization'],
      'DOMAIN-HuJf6': ['Errors.User.PasswordComplexityPolicy.MinLength', 'password too short', 'password'],
      'DOMAIN-co3Xw': ['Errors.User.PasswordComplexityPolicy.HasLower', 'password without a lower-case letter', 'password'],
      'DOMAIN-VoaRj': ['Errors.User.PasswordComplexityPolicy.HasUpper', 'password without an upper-case letter', 'password'],
      'DOMAIN-ZBv4H': ['Errors.User.PasswordComplexityPolicy.HasNumber', 'password without a digit', 'password'],
      'DOMAIN-ZDLwA': ['Errors.User.PasswordComplexityPolicy.HasSymbol', 'password without a symbol', 'password'],
      'CRYPT-5uV9n': ['Errors.User.Password.Invalid', 'cost of the hash outside the limits', 'hash'],
      'CRYPT-r8Qm2': ['Errors.User.Password.Invalid', 'hash that a verifier cannot read', 'hash'],
      'CRYPT-2xK7d': ['Errors.Hash.NotSupported', 'hash that no verifier knows', 'hash'],
    },
    failedPrecondition: {
      'COMMAND-39nfs': ['Errors.IDPConfig.NotExisting', 'provider of a link does not exist'],
      'COMMAND-SJI3g': ['Errors.ExternalIDP.CreationNotAllowed', 'provider does not allow creation', 'field'],
    },
    alreadyExists: {
      'V3-DKcYh': ['Errors.AlreadyExists', 'unique value is taken: user name, link, organization, project, role, grant'],
    },
  } },
  { title: 'Bulk import', consequence: 'This entry of the import is not created; the others of the request are.', errors: {
    alreadyExists: {
      'ORG-lapo2n': ['Errors.Org.AlreadyExisting', 'organization already exists'],
      'COMMAND-do9se': ['Errors.User.MFA.OTP.AlreadyReady', 'one-time password already exists'],
      'V2-e1wse': ['Errors.Already.Exists', 'domain already exists'],
      'ORG-1M8ds': ['Errors.Org.DomainPolicy.AlreadyExists', 'domain policy already exists'],
      'Org-2B0ps': ['Errors.Org.LabelPolicy.AlreadyExists', 'label policy already exists'],
      'ORG-0olDf': ['Errors.ORG.LockoutPolicy.AlreadyExists', 'lockout policy already exists'],
      'Org-Dgfb2': ['Errors.Org.LoginPolicy.AlreadyExists', 'login policy already exists'],
      'Org-LdhbS': ['Errors.Org.PasswordComplexityPolicy.AlreadyExists', 'password complexity policy already exists'],
      'Org-0oLpd': ['Errors.Org.PrivacyPolicy.AlreadyExists', 'privacy policy already exists'],
      'Org-1J8fs': ['Errors.IDPConfig.AlreadyExisting', 'provider already exists'],
      'COMMAND-091mops': ['Errors.User.Machine.Key.AlreadyExists', 'machine key already exists'],
      'COMMAND-opamwu': ['Errors.Project.AlreadyExisting', 'project already exists'],
      'PROJECT-lxowmp': ['Errors.Project.App.AlreadyExisting', 'application already exists'],
      'COMMAND-nau2k': ['Errors.Action.AlreadyExisting', 'script already exists'],
      'ORG-poWwe': ['Errors.Org.Member.AlreadyExists', 'member already exists'],
      'PROJECT-37fug': ['Errors.AlreadyExists', 'member of a project grant already exists'],
      'PROJECT-PtXi1': ['Errors.Project.Member.AlreadyExists', 'member of a project already exists'],
      'ORG-lapo2m': ['Errors.Org.AlreadyExisting', 'organization already exists (older services)'],
    },
    invalidArgument: {
      'COMM-deLSk': ['Errors.Org.Invalid', 'organization has no name: it is not there, or was deleted'],
      'ORG-RrfXY': ['Errors.Org.Domain.EmptyString', 'organization whose name has no letter and no digit'],
      'ORG-4Mlfs': ['Errors.Invalid.Argument', 'organization without an id'],
      'COMMAND-bs9Ds': ['Errors.User.Invalid', 'service account without a name'],
      'DOMAIN-JDk4t': ['Errors.Hash.NotSupported', 'recovery code in an unknown form'],
      'COMMA-yKA80': ['Errors.Org.DomainNotVerified', 'domain is not verified'],
      'ORG-r3h4J': ['Errors.Invalid.Argument', 'domain without a name'],
      'Org-eUpQU': ['Errors.IDPConfig.Invalid', 'provider without its settings'],
      'PROJECT-34Fm0': ['Errors.Project.App.Invalid', 'application without its settings'],
      'COMMAND-eg2gf': ['Errors.Action.Invalid', 'script without its content'],
      'COMMAND-Dfhj5': ['Errors.Flow.FlowTypeMissing', 'trigger without a flow'],
      'Org-4N8es': ['Errors.Org.MemberInvalid', 'member with a role that no organization has'],
    },
    failedPrecondition: {
      'COMMAND-ziuna': ['Errors.User.AlreadyExisting', 'user id is taken', 'taken'],
      'COMMAND-k2una': ['Errors.User.AlreadyExisting', 'id of a service account is taken', 'taken'],
      'COMMAND-uXHNj': ['Errors.User.NotFound', 'user does not exist'],
      'COMMAND-4f8sg': ['Errors.User.NotFound', 'user of a grant does not exist'],
      'COMMAND-53cjw': ['Errors.User.MFA.RecoveryCodes.MaxCountExceeded', 'more recovery codes than allowed', 'field'],
      'COMMA-FfoZO': ['Errors.Org.DomainAlreadyPrimary', 'domain is already the primary one', 'taken'],
      'COMMAND-bnipwm1': ['Errors.User.NotFound', 'user of a machine key does not exist'],
      'COMMAND-vzktar7b7f': ['Errors.User.NotFound', 'user of a link does not exist'],
      'COMMAND-39nf2': ['Errors.IDPConfig.NotExisting', 'provider of a link does not exist'],
      'COMMAND-EbFMN': ['Errors.Project.NotFound', 'project does not exist'],
      'COMMAND-4m9vS': ['Errors.Project.App.NotFound', 'application of a key does not exist'],
      'COMMAND-Nfh52': ['Errors.Flow.NoChanges', 'trigger does not change anything', 'field'],
      'COMMAND-dg422': ['Errors.Flow.ActionIDsNotExist', 'trigger with a script that does not exist'],
      'COMMAND-3m9gg': ['Errors.Org.NotFound', 'granted organization does not exist'],
      'COMMAND-6m9gd': ['Errors.Project.Role.NotFound', 'role of a grant does not exist'],
      'ORG-GoXOn': ['Errors.User.NotFound', 'member does not exist'],
    },
  } },
  { title: 'Limits', consequence: 'Every call is refused, and the run stops; the journal keeps what is done.', errors: {
    resourceExhausted: {
      'LIMITS-molsj': ['Errors.Limits.Instance.Blocked', 'instance is blocked', 'blocked'],
      'QUOTA-vjAy8': ['Quota.Access.Exhausted', 'quota is used up', 'quota'],
    },
  } },
  { title: 'Tokens and permissions', consequence: 'The call is refused and nothing was done; the run stops.', errors: {
    unauthenticated: {
      'AUTH-toLo1': ['invalid auth header', 'header is not a bearer token', 'token-form'],
      'AUTH-7fs1e': ['Errors.Token.Invalid', 'token is unknown or has expired', 'token'],
    },
    permissionDenied: {
      'AUTH-Bs7Ds': ["Organisation doesn't exist", 'org of the header does not exist', 'org'],
      'AUTH-5mWD2': ['No matching permissions found', 'caller may not', 'role'],
      'AUTH-3jknH': ['No matching permissions found', 'caller has no permission (owned resources)', 'role'],
      'AUTH-AWfge': ['No matching permissions found', 'caller has no permission (version 2)', 'role'],
    },
    notFound: {
      'AUTHZ-cdgFk': ['membership not found', 'caller has no role in the organization', 'no-role'],
    },
  } },
  { title: 'Actions', consequence: 'The call is refused and nothing was changed.', errors: {
    failedPrecondition: {
      'SCHEMA-141bwx3lef': ['Errors.action.NotEnabled', 'feature is not enabled (first generation)', 'feature'],
      'EXEC-dra6yamk98': ['Errors.Execution.Failed', 'receiver failed', 'receiver'],
      'EXEC-bmhNhpcqpF': ['Errors.Execution.Failed', 'receiver forwarded a status that is not a refusal', 'receiver'],
      'ErrPublicKeyDeleteActiveKey': ['Errors.Target.PublicKeyActive', 'active public key cannot be removed', 'request'],
      'COMMAND-nd3fsd': ['Errors.Target.NotFound', 'target of a new public key does not exist', 'target'],
      'COMMAND-SAF4g': ['Errors.Target.NotFound', 'public key to switch does not exist, or has expired'],
    },
    invalidArgument: {
      'COMMAND-39f35d8uri': ['Errors.Target.NoTimeout', 'target without a timeout', 'request'],
      'COMMAND-1r2k6qo6wg': ['Errors.Target.InvalidURL', 'endpoint that cannot be parsed', 'request'],
      'COMMAND-NcJUKo': ['Errors.Target.DeniedURL', 'endpoint that is not a web address, or at a denied host', 'endpoint'],
      'COMMAND-08b39vdi57': ['Errors.Target.NoTimeout', 'change to no timeout', 'request'],
      'COMMAND-jsbaera7b6': ['Errors.Target.InvalidURL', 'change to an endpoint that is not a URL', 'request'],
      'COMMAND-56bteot2uj': ['Errors.Execution.NoTargets', 'execution without targets (first generation)', 'request'],
      'COMMAND-3tkej630e6': ['Errors.Execution.Invalid', 'condition on calls says nothing', 'request'],
      'COMMAND-w5smb6v7qu': ['Errors.Execution.Invalid', 'condition on events says nothing', 'request'],
      'ACTION-5r5Ju': ['Errors.Execution.ConditionInvalid', 'no condition', 'request'],
      'ErrPublicKeyFormat': ['Errors.Target.InvalidPublicKey', 'public key cannot be read', 'request'],
      'ErrExpirationDateBeforeNow': ['Errors.Target.InvalidExpirationDate', 'public key that has expired', 'request'],
    },
    notFound: {
      'COMMAND-xj14f2cccn': ['Errors.Target.NotFound', 'target to change does not exist', 'target'],
      'COMMAND-k4s7ucu0ax': ['Errors.Target.NotFound', 'target to delete does not exist (first generation)'],
      'QUERY-hj5oaniyrz': ['Errors.Target.NotFound', 'target to read does not exist', 'target'],
      'COMMAND-vysplsevt8': ['Errors.Execution.ConditionInvalid', 'method does not exist', 'name'],
      'COMMAND-qu6dfhiioq': ['Errors.Execution.ConditionInvalid', 'service does not exist', 'name'],
      'COMMAND-cdy39t0ksr': ['Errors.Execution.ConditionInvalid', 'function does not exist', 'name'],
      'COMMAND-74aaqj8fv9': ['Errors.Execution.ConditionInvalid', 'event does not exist', 'name'],
      'COMMAND-er5oneb5lz': ['Errors.Execution.ConditionInvalid', 'group of events does not exist', 'name'],
      'COMMAND-17e8fq1ggk': ['Errors.Target.NotFound', 'target of an execution does not exist, or is named twice', 'targets'],
      'COMMAND-slgj0l4cdz': ['Errors.Execution.IncludeNotFound', 'included execution does not exist'],
      'COMMAND-suq2upd3rt': ['Errors.Execution.NotFound', 'execution to delete does not exist'],
    },
    unknown: {
      'EXEC-reUaUZCzCp': ['-', 'receiver forwarded a status', 'receiver'],
    },
  } },
  { title: 'Creating users', consequence: 'The user is not created.', errors: {
    failedPrecondition: {
      'COMMAND-7yiox1isql': ['Errors.User.AlreadyExisting', 'user id is taken', 'taken'],
      'COMMAND-QXPGs': ['Errors.Org.NotFound', 'organization does not exist', 'org-gone'],
      'COMMAND-M9dse': ['Errors.User.NotInitialised', 'initial user cannot get a password', 'field'],
      'COMMAND-2M9fs': ['Errors.User.Code.NotFound', 'no code was sent', 'field'],
    },
    invalidArgument: {
      'COMMA-HuJf6': ['Errors.User.PasswordComplexityPolicy.MinLength', 'password too short', 'password'],
      'COMMA-co3Xw': ['Errors.User.PasswordComplexityPolicy.HasLower', 'password without a lower-case letter', 'password'],
      'COMMA-VoaRj': ['Errors.User.PasswordComplexityPolicy.HasUpper', 'password without an upper-case letter', 'password'],
      'COMMA-ZBv4H': ['Errors.User.PasswordComplexityPolicy.HasNumber', 'password without a digit', 'password'],
      'COMMA-ZDLwA': ['Errors.User.PasswordComplexityPolicy.HasSymbol', 'password without a symbol', 'password'],
      'USER-Dbgth': ['Errors.User.Metadata.ValueEmpty', 'metadata without a value'],
      'USERv2-j0z7uy': ['Metadata must not be set on both the user and human fields', 'metadata both of the user and of the human'],
      'DOMAIN-ieYa7': ['Errors.User.URLTemplate.Invalid', 'template of a link with an unknown field'],
      'USER-UCej2': ['Errors.User.Profile.FirstNameEmpty', 'no first name'],
      'USER-4hB7d': ['Errors.User.Profile.LastNameEmpty', 'no last name'],
      'USER-Drght': ['Errors.User.Metadata.KeyEmpty', 'metadata without a key'],
      'V2-zzad3': ['Errors.Invalid.Argument', 'no user name'],
    },
    notFound: {
      'COMMAND-ugjs0upun6': ['Errors.User.NotFound', 'user to change does not exist'],
    },
  } },
  { title: 'Signing in', consequence: 'The user is not signed in; nothing else was changed.', errors: {
    invalidArgument: {
      'COMMAND-3M0fs': ['Errors.User.Password.Invalid', 'wrong password', 'request'],
      'EVENT-8isk2': ['Errors.User.MFA.OTP.InvalidCode', 'wrong TOTP code', 'request'],
      'COMMAND-8N9ds': ['Errors.User.UserIDMissing', 'no user to check TOTP of', 'missing'],
      'OIDC-VoXo6': ['Errors.User.Machine.Secret.Invalid', 'wrong client secret', 'secret'],
    },
    internal: {
      'COMMAND-CahN2': ['Errors.Internal', 'hash that cannot be verified, or password over 72 bytes', 'hash'],
    },
    failedPrecondition: {
      'COMMAND-3nJ4t': ['Errors.User.Password.NotSet', 'user has no password', 'request'],
      'COMMAND-JLK35': ['Errors.User.Locked', 'user is locked', 'state'],
      'COMMAND-SFA3t': ['Errors.User.Locked', 'user was locked while the password was checked', 'state'],
      'COMMAND-Sfw3f': ['Errors.User.UserIDMissing', 'no user to check'],
      'SESSION-Gj4ko': ['Errors.User.NotActive', 'user is not active', 'state'],
      'COMMAND-Df4b3': ['Errors.User.NotActive', 'user is not active (older services)', 'state'],
      'COMMAND-3Mif9s': ['Errors.User.MFA.OTP.NotReady', 'user has no TOTP', 'request'],
      'COMMAND-SF3fg': ['Errors.User.Locked', 'user is locked, at a check of TOTP', 'request'],
      'COMMAND-Flk38': ['Errors.Session.NotExisting', 'session to change does not exist'],
      'COMMAND-Hewfq': ['Errors.Session.Terminated', 'session to change has ended', 'request'],
      'COMMAND-Hkl3d': ['Errors.Session.Expired', 'session to change has expired', 'request'],
    },
    notFound: {
      'QUERY-SFeaa': ['Errors.Session.NotExisting', 'session to read does not exist'],
    },
    permissionDenied: {
      'COMMAND-sGr42': ['Errors.Session.Token.Invalid', 'session token is wrong', 'request'],
    },
  } },
  { title: 'Users, metadata, grants, policies', consequence: 'The call is refused and nothing was changed.', errors: {
    alreadyExists: {
      'Org-xa08n2': ['Errors.Org.NotificationPolicy.AlreadyExists', 'notification policy already exists'],
      'COMMAND-8f2k9': ['Errors.User.MFA.RecoveryCodes.MaxCountExceeded', 'more recovery codes than a user may have', 'request'],
    },
    notFound: {
      'ORG-x029n3': ['Errors.Org.NotificationPolicy.NotFound', 'organization has no notification policy to change', 'request'],
      'ORG-x029n1s': ['Errors.Org.NotificationPolicy.NotFound', 'organization has no notification policy to remove', 'request'],
      'META-2nnds': ['Errors.Metadata.KeyNotExisting', 'a metadata key does not exist'],
      'META-ncnw3': ['Errors.Metadata.NotFound', 'metadata without a key', 'request'],
      'COMMAND-SAF4f': ['Errors.User.NotFound', 'user of a new password does not exist'],
      'QUERY-Dfbg2': ['Errors.User.NotFound', 'user does not exist'],
      'MANAG-fpo4B': ['Errors.User.NotFound', 'user belongs to another organization', 'request'],
      'QUERY-Rgh32': ['Errors.Metadata.NotFound', 'metadata does not exist'],
      'QUERY-leq5Q': ['Errors.Org.NotFound', 'organization does not exist', 'org'],
      'COMMA-aps2n': ['Errors.Org.NotFound', 'organization to delete does not exist'],
      'QUERY-iTTGJ': ['Errors.Org.NotFound', 'organization does not exist (older services)', 'org'],
      'COMMAND-ke0fw': ['Errors.User.CantDeactivateInitial', 'initial user cannot be deactivated', 'request'],
      'COMMAND-m9od': ['Errors.User.NotFound', 'user to delete does not exist'],
      'COMMAND-3M9ds': ['Errors.User.NotFound', 'user to deactivate does not exist'],
      'COMMAND-4M0sd': ['Errors.User.NotFound', 'user to reactivate does not exist'],
      'COMMAND-5M9fs': ['Errors.User.NotFound', 'user to lock does not exist'],
      'COMMAND-M0dos': ['Errors.User.NotFound', 'user to unlock does not exist'],
      'COMMAND-5gp2p62iin': ['Errors.User.NotFound', 'user to deactivate does not exist (version 2)'],
      'COMMAND-9hy5kzbuk6': ['Errors.User.NotFound', 'user to reactivate does not exist (version 2)'],
      'COMMAND-450yxuqrh1': ['Errors.User.NotFound', 'user to lock does not exist (version 2)'],
      'COMMAND-x377t913pw': ['Errors.User.NotFound', 'user to unlock does not exist (version 2)'],
      'COMMAND-bd4ir1mblj': ['Errors.User.NotFound', 'user to delete does not exist (version 2)'],
      'COMMAND-1My0t': ['Errors.UserGrant.NotFound', 'grant to remove does not exist'],
      'COMMAND-3M9sd': ['Errors.Project.NotFound', 'project to remove does not exist'],
      'MANAG-SFf2a': ['Errors.Project.App.NotFound', 'application of another organization', 'request'],
      'QUERY-pCP8P': ['Errors.App.NotExisting', 'application does not exist'],
      'QUERY-fk2fs': ['Errors.Project.NotFound', 'project does not exist'],
      'COMMAND-0po9s': ['Errors.Project.App.NotExisting', 'application to remove does not exist'],
      'COMMAND-2g66f': ['Errors.Project.App.NotExisting', 'application that is to get a secret does not exist'],
      'QUERY-SAFrt': ['Errors.IDPConfig.NotExisting', 'identity provider does not exist in the organization'],
      'ORG-Se3tg': ['Errors.Org.IDPConfig.NotExisting', "identity provider to remove does not exist, or is the instance's"],
      'PROJECT-D8JxR': ['Errors.Project.Grant.NotFound', 'grant of a project to remove does not exist'],
    },
    failedPrecondition: {
      'Org-ioqnxz': ['Errors.Org.NotificationPolicy.NotChanged', 'notification policy is not changed', 'request'],
      'META-9mm2d': ['Errors.Metadata.NoData', 'empty list of metadata', 'request'],
      'COMMAND-Sfe4g': ['Errors.User.NotInitialised', 'initial user cannot reset a password', 'request'],
      'COMMAND-Wgvn4': ['Errors.User.NotFound', 'invited user does not exist'],
      'COMMAND-EF34g': ['Errors.User.AlreadyInitialised', 'invited user can already sign in', 'taken'],
      'COMMA-wG9p1': ['Errors.Org.DefaultOrgNotDeletable', 'the default organization cannot be deleted', 'request'],
      'COMMAND-5M0sf': ['Errors.User.AlreadyInactive', 'user is already inactive', 'taken'],
      'COMMAND-6M0sf': ['Errors.User.NotInactive', 'user is not inactive', 'request'],
      'COMMAND-3NN8v': ['Errors.User.ShouldBeActiveOrInitial', 'user to lock is neither active nor initial', 'request'],
      'COMMAND-4M0ds': ['Errors.User.NotLocked', 'user is not locked', 'request'],
      'COMMAND-gvx4kct9r2': ['Errors.User.CantDeactivateInitial', 'initial user cannot be deactivated (version 2)', 'request'],
      'COMMAND-5gunjw0cd7': ['Errors.User.AlreadyInactive', 'user is already inactive (version 2)', 'taken'],
      'COMMAND-s5qqcz97hf': ['Errors.User.NotInactive', 'user is not inactive (version 2)', 'request'],
      'COMMAND-lgws8wtsqf': ['Errors.User.ShouldBeActiveOrInitial', 'user to lock is neither active nor initial (version 2)', 'request'],
      'COMMAND-olb9vb0oca': ['Errors.User.NotLocked', 'user is not locked (version 2)', 'request'],
      'COMMAND-4m9ff': ['Errors.Project.Grant.NotFound', "project of a grant does not exist, or is another org's"],
      'COMMAND-m9gsd': ['Errors.Project.NotFound', 'project to grant to another organization does not exist'],
      'PROJECT-ckUpbvboAH': ['Errors.Project.Grant.Invalid', 'project granted to its own organization', 'request'],
      'COMMAND-mm9F4': ['Errors.Project.Role.NotFound', 'role of a grant does not exist'],
      'COMMAND-huvKF': ['Errors.Project.Grant.NotFound', 'grant of the project does not exist'],
      'COMMAND-Df2f1': ['Errors.User.WrongType', 'user is not a service account', 'request'],
      'COMMAND-Dggw2': ['Errors.User.NotFound', 'service account does not exist'],
    },
    invalidArgument: {
      'QUERY-4M0fs': ['Errors.Query.LimitExceeded', 'more than a page may have', 'request'],
      'COMMAND-7c0nx': ['Errors.User.RecoveryCodes.CountInvalid', 'not one to ten recovery codes are asked for', 'request'],
      'USER-zsQ97': ['Errors.Query.TooManyNestingLevels', 'queries nested more than 20 deep', 'request'],
      'PROJECT-1n8df': ['Errors.Project.App.Invalid', 'application without the grant type of a response type, or with an invalid origin', 'request'],
      'PROJECT-msNebo': ['Errors.Project.App.Blocked.BackchannelLogoutURL', 'application with a back-channel logout URI that cannot be called', 'request'],
      'COMMAND-Ghrh3': ['Errors.Project.App.IsNotOIDC', 'application that is to get a secret is not an OIDC application', 'request'],
      'COMMAND-aeH4': ['Errors.Project.App.IsNotAPI', 'application that is to get a secret is not an API application', 'request'],
      'ORG-Sgtj5': ['Errors.Invalid.Argument', 'identity provider with a blank name', 'request'],
      'DOMAIN-dv3t5': ['Errors.AuthNKey.ExpireBeforeNow', 'expiry date is in the past', 'request'],
      'USER-JDk4t': ['Errors.Hash.NotSupported', 'unknown hash (older services)', 'hash'],
    },
    internal: {
      'QUERY-AG4gs': ['Errors.Internal', 'more than 65,535 values in one search', 'request'],
    },
  } },
  { title: 'Any call', consequence: 'The call is refused.', errors: {
    internal: {
      'RECOVER': ['Errors.Internal', 'internal error of the service', 'panic'],
    },
  } },
] as const satisfies readonly Section[];

type KeysOf<Kind> = Kind extends unknown ? keyof Kind : never;
type IdsOf<Errors> = Errors extends unknown ? KeysOf<Errors[keyof Errors]> : never;
export type ServiceErrorId = IdsOf<(typeof sections)[number]['errors']>;

export const serviceErrors: ReadonlyMap<string, ServiceErrorKind> = new Map(
  sections.flatMap(({ title, consequence, errors }: Section) =>
    Object.entries(errors).flatMap(([name, rows]) => {
      const code = grpcCodes[name as CodeName];
      return Object.entries(rows).map(
        ([id, [key, meaning, help = helpOf[name] ?? '']]) =>
          [id, { id, code, key, help, meaning, title, consequence }] as const,
      );
    }),
  ),
);
