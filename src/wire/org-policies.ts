/** Policies and texts of an organization, as they are in an export or import. */
import { emailRule } from './create-user.ts';
import {
  text,
  textUpTo,
  shortText,
  flag,
  uint32,
  uint64,
  duration,
  choice,
  list,
  message,
  notZero,
  ruled,
} from './message.ts';

export const domainPolicy = message('AddCustomDomainPolicyRequest', {
  orgId: shortText,
  userLoginMustBeDomain: flag,
  validateOrgDomains: flag,
  smtpSenderAddressMatchesInstanceDomain: flag,
});

const color = textUpTo(50);
export const labelPolicy = message('AddCustomLabelPolicyRequest', {
  primaryColor: color,
  hideLoginNameSuffix: flag,
  warnColor: color,
  backgroundColor: color,
  fontColor: color,
  primaryColorDark: color,
  backgroundColorDark: color,
  warnColorDark: color,
  fontColorDark: color,
  disableWatermark: flag,
  themeMode: choice(['THEME_MODE_UNSPECIFIED', 'THEME_MODE_AUTO', 'THEME_MODE_DARK', 'THEME_MODE_LIGHT']),
});

export const lockoutPolicy = message('AddCustomLockoutPolicyRequest', {
  maxPasswordAttempts: uint32,
  maxOtpAttempts: uint32,
});

export const secondFactors = [
  'SECOND_FACTOR_TYPE_UNSPECIFIED',
  'SECOND_FACTOR_TYPE_OTP',
  'SECOND_FACTOR_TYPE_U2F',
  'SECOND_FACTOR_TYPE_OTP_EMAIL',
  'SECOND_FACTOR_TYPE_OTP_SMS',
  'SECOND_FACTOR_TYPE_RECOVERY_CODES',
] as const;
export const multiFactors = [
  'MULTI_FACTOR_TYPE_UNSPECIFIED',
  'MULTI_FACTOR_TYPE_U2F_WITH_VERIFICATION',
] as const;

export const idpOwner = choice(['IDP_OWNER_TYPE_UNSPECIFIED', 'IDP_OWNER_TYPE_SYSTEM', 'IDP_OWNER_TYPE_ORG']);

export const loginPolicyIdp = message('AddCustomLoginPolicyRequest_IDP', {
  idpId: shortText,
  ownerType: ruled(idpOwner, notZero('IDP_OWNER_TYPE_UNSPECIFIED')),
});

export const loginPolicy = message('AddCustomLoginPolicyRequest', {
  allowUsernamePassword: flag,
  allowRegister: flag,
  allowExternalIdp: flag,
  forceMfa: flag,
  passwordlessType: choice(['PASSWORDLESS_TYPE_NOT_ALLOWED', 'PASSWORDLESS_TYPE_ALLOWED']),
  hidePasswordReset: flag,
  ignoreUnknownUsernames: flag,
  defaultRedirectUri: text,
  passwordCheckLifetime: duration,
  externalLoginCheckLifetime: duration,
  mfaInitSkipLifetime: duration,
  secondFactorCheckLifetime: duration,
  multiFactorCheckLifetime: duration,
  secondFactors: list(choice(secondFactors)),
  multiFactors: list(choice(multiFactors)),
  idps: list(loginPolicyIdp),
  allowDomainDiscovery: flag,
  disableLoginWithEmail: flag,
  disableLoginWithPhone: flag,
  forceMfaLocalOnly: flag,
});

const complexity = {
  minLength: uint64,
  hasUppercase: flag,
  hasLowercase: flag,
  hasNumber: flag,
  hasSymbol: flag,
};
export const passwordComplexityPolicy = message('AddCustomPasswordComplexityPolicyRequest', complexity);
export const getPasswordComplexityPolicyResponse = message('GetPasswordComplexityPolicyResponse', {
  policy: { ...complexity, isDefault: flag },
});

export const getNotificationPolicyResponse = message('GetNotificationPolicyResponse', {
  policy: { isDefault: flag, passwordChange: flag },
});

export const getLockoutPolicyResponse = message('GetLockoutPolicyResponse', {
  policy: {
    maxPasswordAttempts: uint64,
    maxOtpAttempts: uint64,
    isDefault: flag,
  },
  isDefault: flag,
});

export const privacyPolicy = message('AddCustomPrivacyPolicyRequest', {
  tosLink: text,
  privacyLink: text,
  helpLink: text,
  supportEmail: ruled(text, { max: 320, check: (value) => (value === '' ? undefined : emailRule(value)) }),
  docsLink: text,
  customLink: text,
  customLinkText: text,
});

/** Texts of about 35 screens, kept unchanged. */
export const loginTexts = message('SetCustomLoginTextsRequest', { language: shortText }, { open: true });

const messageLine = ruled(text, { maxBytes: 2000 });

export const messageText = message('SetCustomMessageTextRequest', {
  language: shortText,
  title: messageLine,
  preHeader: messageLine,
  subject: messageLine,
  greeting: ruled(text, { maxBytes: 4000 }),
  text: ruled(text, { maxBytes: 40_000 }),
  buttonText: ruled(text, { maxBytes: 4000 }),
  footerText: ruled(text, { maxBytes: 8000 }),
});

export const smsText = message('SetCustomVerifySMSOTPMessageTextRequest', {
  language: shortText,
  text: textUpTo(800),
});
