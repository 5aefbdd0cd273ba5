/** The texts of errors by their keys. */
const texts: Readonly<Record<string, string>> = {
  'Errors.User.AlreadyExists': 'User already exists',
  'Errors.User.NotFound': 'User could not be found',
  'Errors.User.NotInitialised': 'User is not yet initialized',
  'Errors.User.AlreadyInactive': 'User already inactive',
  'Errors.User.NotInactive': 'User is not inactive',
  'Errors.User.ShouldBeActiveOrInitial': 'User is not active or initial',
  'Errors.User.NotLocked': 'User is not locked',
  'Errors.User.CantDeactivateInitial': 'User with state initial can only be deleted not deactivated',
  'Errors.User.URLTemplate.Invalid': 'URL Template is invalid',
  'Errors.User.Invalid': 'User data is invalid',
  'Errors.User.Locked': 'User is locked',
  'Errors.User.WrongType': 'Not allowed for this user type',
  'Errors.User.DomainNotAllowedAsUsername': 'Domain is already reserved and cannot be used',
  'Errors.User.Email.Invalid': 'Email is invalid',
  'Errors.User.Email.Empty': 'Email is empty',
  'Errors.User.Phone.Invalid': 'Phone is invalid',
  'Errors.User.Profile.Empty': 'Profile is empty',
  'Errors.User.Profile.FirstNameEmpty': 'First name in profile is empty',
  'Errors.User.Profile.LastNameEmpty': 'Last name in profile is empty',
  'Errors.User.Password.Invalid': 'Password is invalid',
  'Errors.User.Password.NotSet': 'User has not set a password',
  'Errors.User.PasswordComplexityPolicy.MinLength': 'Password is too short',
  'Errors.User.PasswordComplexityPolicy.HasLower': 'Password must contain lower case',
  'Errors.User.PasswordComplexityPolicy.HasUpper': 'Password must contain upper case',
  'Errors.User.PasswordComplexityPolicy.HasNumber': 'Password must contain number',
  'Errors.User.PasswordComplexityPolicy.HasSymbol': 'Password must contain symbol',
  'Errors.User.ExternalIDP.AlreadyExists': 'External IDP already taken',
  'Errors.User.UserIDMissing': 'User ID missing',
  'Errors.User.Machine.Secret.Invalid': 'Secret is invalid',
  'Errors.User.MFA.OTP.InvalidCode': 'Invalid code',
  'Errors.User.MFA.OTP.NotReady': "Multifactor OTP (OneTimePassword) isn't ready",
  'Errors.IDPConfig.NotExisting': "Identity Provider Configuration doesn't exist",
  'Errors.Org.NotFound': 'Organisation not found',
  'Errors.Org.DefaultOrgNotDeletable': 'Default Organisation must not be deleted',
  'Errors.Org.NotExisting': "Organisation doesn't exist",
  'Errors.Org.AlreadyExists': "Organisation's name or id already taken",
  'Errors.Org.Invalid': 'Organisation is invalid',
  'Errors.Project.AlreadyExists': 'Project already exists on organization',
  'Errors.Project.NotFound': 'Project not found',
  'Errors.Project.Grant.AlreadyExists': 'Project Grant already exists',
  'Errors.Project.Grant.Invalid': 'Project Grant is invalid',
  'Errors.Project.Grant.NotFound': 'Project Grant not found',
  'Errors.Project.Role.AlreadyExists': 'Role already exists',
  'Errors.Project.App.AlreadyExists': 'Application already exists',
  'Errors.Project.App.Invalid': 'Application invalid',
  'Errors.Project.App.NotExisting': "Application doesn't exist",
  'Errors.Project.App.NotFound': 'Application not found',
  'Errors.Project.App.IsNotOIDC': 'Application is not type OIDC',
  'Errors.Project.App.IsNotAPI': 'Application is not type API',
  'Application.OIDC.V1.NotCompliant':
    'Your configuration is not compliant and differs from OIDC 1.0 standard.',
  'Application.OIDC.V1.NoRedirectUris': 'At least one redirect uri must be registered.',
  'Application.OIDC.V1.Code.RedirectUris.CustomOnlyForNative':
    'Grant type "code" only allows custom redirect uris for apptype "native"  (e.g appname:// )',
  'Application.OIDC.V1.Implicit.RedirectUris.HttpNotAllowed':
    "Grant type implicit doesn't allow http redirect uris",
  'Application.OIDC.V1.Native.AuthMethodType.NotNone': 'Native applications should have authmethodtype none.',
  'Application.OIDC.V1.Native.RedirectUris.MustBeHttpLocalhost':
    'Redirect URIs must begin with your own protocol, http://127.0.0.1, http://[::1] or http://localhost.',
  'Application.OIDC.V1.UserAgent.AuthMethodType.NotNone':
    'User agent application should have authmethodtype none.',
  'Errors.UserGrant.AlreadyExists': 'User grant already exists',
  'Errors.UserGrant.NotFound': 'User grant not found',
  'Errors.UserGrant.Invalid': 'User grant is invalid',
  'Errors.Metadata.NoData': 'Metadata list is empty',
  'Errors.Metadata.NotFound': 'Metadata not found',
  'Errors.Metadata.KeyNotExisting': 'One or more keys do not exist',
  'Errors.Query.LimitExceeded': 'Limit exceeded',
  'Errors.Limits.Instance.Blocked': 'Errors.Limits.Instance.Blocked',
  'Errors.ExecutionFailed': 'Execution failed',
  'Errors.Target.NotFound': 'Target not found',
  'Errors.Target.NoTimeout': 'Target has no timeout',
  'Errors.Target.InvalidURL': 'Target has an invalid URL',
  'Errors.Execution.Invalid': 'Execution is invalid',
  'Errors.Execution.ConditionInvalid': 'Execution condition is invalid',
  'Errors.Execution.Failed': 'Execution failed',
  'Errors.Execution.NotFound': 'Execution not found',
  'Errors.Execution.IncludeNotFound': 'Include not found',
  'Errors.Execution.NoTargets': 'No targets defined',
};

/** Other languages, as far as the answers of the service have been seen. */
const translations: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  de: { 'Errors.User.AlreadyExists': 'Benutzer existiert bereits' },
  fr: { 'Errors.User.AlreadyExists': "L'utilisateur existe déjà" },
};

/** `acceptLanguage`: the header of the request; its first language counts. */
export function textOf(key: string, acceptLanguage = ''): string {
  const language = /^\s*([a-z]+)/i.exec(acceptLanguage)?.[1]?.toLowerCase() ?? '';
  return translations[language]?.[key] ?? texts[key] ?? key;
}
