/** The names that conditions may use (methods, services, functions, events), and the two brands of method names. */
import type { ReferenceServerOptions } from '../options.ts';

/** `/service.user.v2.UserService/AddHumanUser` -> `/zitadel.user.v2.UserService/AddHumanUser`. Service names work too. */
export function canonicalName(name: string) {
  return name.replace(/^(\/?)service\./, '$1zitadel.');
}

/** `user.human.*` -> `user.human` */
export const ofGroup = (name: string) => name.replace(/\.\*$/, '');

export function brandedName(name: string, brand: NonNullable<ReferenceServerOptions['brand']>) {
  return name.replace(/^(\/?)zitadel\./, `$1${brand}.`);
}

/** Functions of the service. No flow of this server calls one, so executions on them never run here. */
const functionNames = ['preaccesstoken', 'presamlresponse', 'preuserinfo'];

/** Methods of the real service that this server lacks. Conditions on them can be set but never fire here. */
const otherMethods: Readonly<Record<string, string>> = {
  'zitadel.user.v2.UserService':
    'SetEmail ResendEmailCode SendEmailCode VerifyEmail SetPhone RemovePhone ResendPhoneCode VerifyPhone RegisterPasskey ' +
    'VerifyPasskeyRegistration ListPasskeys RemovePasskey RegisterU2F VerifyU2FRegistration RemoveU2F RegisterTOTP ' +
    'VerifyTOTPRegistration RemoveTOTP AddOTPSMS RemoveOTPSMS AddOTPEmail RemoveOTPEmail StartIdentityProviderIntent ' +
    'RetrieveIdentityProviderIntent RemoveIDPLink AddSecret RemoveSecret AddKey RemoveKey ListKeys ' +
    'AddPersonalAccessToken RemovePersonalAccessToken ListPersonalAccessTokens ListAuthenticationFactors ' +
    'ResendInviteCode VerifyInviteCode HumanMFAInitSkipped',
  'zitadel.session.v2.SessionService': 'ListSessions',
  'zitadel.org.v2.OrganizationService': 'UpdateOrganization DeactivateOrganization ActivateOrganization',
  'zitadel.management.v1.ManagementService': 'AddHumanUser',
};

/** Events that conditions may name. This server only sends `user.human.added`. */
const eventNames = new Set(
  (
    'user.human.added user.human.selfregistered user.human.initialization.code.added ' +
    'user.human.initialization.check.succeeded user.human.email.changed user.human.email.verified ' +
    'user.human.email.code.added user.human.phone.changed user.human.phone.verified ' +
    'user.human.phone.code.added user.human.profile.changed user.human.password.changed ' +
    'user.human.password.check.succeeded user.human.password.check.failed user.human.externalidp.added ' +
    'user.human.externalidp.removed user.human.mfa.otp.added user.human.mfa.otp.verified ' +
    'user.human.passwordless.initialization.code.added user.machine.added user.machine.changed ' +
    'user.machine.key.added user.machine.secret.set user.pat.added user.metadata.set ' +
    'user.metadata.removed user.username.changed user.grant.added user.deactivated user.reactivated ' +
    'user.locked user.unlocked user.removed org.added org.changed org.member.added org.deactivated ' +
    'org.reactivated org.removed project.added project.role.added project.grant.added session.added'
  ).split(' '),
);

/** Event of a new human user, whichever method created it. */
export const humanAdded = 'user.human.added';

export type MethodNames = ReturnType<typeof createMethodNames>;

/** `served` are the full names of the methods that this server answers. */
export function createMethodNames(served: readonly string[]) {
  const methods = new Set(served);
  for (const [service, names] of Object.entries(otherMethods)) {
    for (const name of names.split(' ')) methods.add(`/${service}/${name}`);
  }
  const services = new Set([...methods].map((name) => name.slice(1, name.lastIndexOf('/'))));
  /** Whether a condition may have the name, by the field that has it. */
  const knows: Readonly<Record<string, (name: string) => boolean>> = {
    method: (name) => methods.has(canonicalName(name)),
    service: (name) => services.has(canonicalName(name)),
    name: (name) => functionNames.includes(name),
    event: (name) => eventNames.has(name),
    // Such as `user.human`, with or without a trailing `.*`.
    group: (name) => [...eventNames].some((event) => event.startsWith(`${ofGroup(name)}.`)),
  };
  return {
    functions: functionNames,
    /** Canonical names with a leading slash, sorted. */
    methods: [...methods].sort(),
    /** Canonical names, sorted. */
    services: [...services].sort(),
    knows,
  };
}
