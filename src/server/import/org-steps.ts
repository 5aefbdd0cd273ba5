/** Import steps for domains, policies, identity providers and texts of an organization. */
import type { DataOrg } from '../../wire/org-data.ts';
import { refusal, notUnique } from '../errors.ts';
import { addDomain, requireUnverified, updateOrg } from '../orgs.ts';
import type { DomainRow, IdpRow, OrgRow, TextKind } from '../store/rows.ts';
import { maybe, step, type StepContext, type Step } from './step.ts';
import type { ServiceErrorId } from '../../wire/service-errors.ts';

const changeOrg = ({ job, org }: StepContext, change: Partial<OrgRow>): OrgRow =>
  updateOrg(job, org(), change);

const domainId = (data: DataOrg, domain: { domainName: string }): string =>
  `${data.orgId}_${domain.domainName}`;

function changeDomain(
  context: StepContext,
  name: string,
  change: (domain: DomainRow, own: boolean) => DomainRow,
): void {
  changeOrg(context, {
    domains: context.org().domains.map((domain) => change(domain, domain.domainName === name)),
  });
}

function verifyDomain(context: StepContext, domainName: string): void {
  requireUnverified(context.job, domainName);
  changeDomain(context, domainName, (domain, own) => (own ? { ...domain, isVerified: true } : domain));
}

function makePrimary(context: StepContext, domainName: string): void {
  const domain = context.org().domains.find((each) => each.domainName === domainName);
  if (domain?.isPrimary === true) throw refusal('COMMA-FfoZO');
  if (domain?.isVerified !== true) throw refusal('COMMA-yKA80');
  changeDomain(context, domainName, (each, own) => ({ ...each, isPrimary: own }));
}

const domains = step({
  items: (data) => data.domains,
  type: 'domain',
  id: domainId,
  store: ({ job, org }, domain) => void addDomain(job, org(), domain.domainName),
  succeed: (success, domain) => success.domains.push(domain.domainName),
});

/** Only a domain that was added is proved and made the primary one. */
const provenDomains = (added: ReadonlySet<string>): Step[] => [
  step({
    items: (data) => data.domains.filter((domain) => domain.isVerified && added.has(domain.domainName)),
    type: 'domain_isverified',
    id: domainId,
    store: (context, domain) => verifyDomain(context, domain.domainName),
  }),
  step({
    items: (data) => data.domains.filter((domain) => domain.isPrimary && added.has(domain.domainName)),
    type: 'domain_isprimary',
    id: domainId,
    store: (context, domain) => makePrimary(context, domain.domainName),
  }),
];

const allDomains: Step = async (context, success) => {
  for (const domain of context.data.domains) {
    const one: StepContext = { ...context, data: { ...context.data, domains: [domain] } };
    const before = success.domains.length;
    await domains(one, success);
    const added = new Set(success.domains.slice(before));
    for (const proof of provenDomains(added)) await proof(one, success);
  }
};

type PolicyName = keyof Pick<
  DataOrg,
  | 'domainPolicy'
  | 'labelPolicy'
  | 'lockoutPolicy'
  | 'loginPolicy'
  | 'passwordComplexityPolicy'
  | 'privacyPolicy'
>;

/** What is said of a policy that the org has already. */
const policies: Readonly<Record<PolicyName, readonly [type: string, taken: ServiceErrorId]>> = {
  domainPolicy: ['domain_policy', 'ORG-1M8ds'],
  labelPolicy: ['label_policy', 'Org-2B0ps'],
  lockoutPolicy: ['lockout_policy', 'ORG-0olDf'],
  loginPolicy: ['login_policy', 'Org-Dgfb2'],
  passwordComplexityPolicy: ['password_complexity_policy', 'Org-LdhbS'],
  privacyPolicy: ['privacy_policy', 'Org-0oLpd'],
};

function policy(name: PolicyName): Step {
  const [type, taken] = policies[name];
  return step({
    items: (data) => maybe(data[name]),
    type,
    id: (data) => data.orgId,
    store(context, requested) {
      if (context.org()[name] !== undefined) throw refusal(taken);
      changeOrg(context, { [name]: requested });
    },
  });
}

function addIdp(context: StepContext, row: Omit<IdpRow, 'orgId' | 'created'>): void {
  const { store, settings } = context.job;
  if (row.id !== '' && store.idps.has(row.id)) throw refusal('Org-1J8fs');
  const taken = store.idps.by('org', context.org().id).some((idp) => idp.name === row.name);
  if (taken) throw notUnique('IDPConfig');
  const created = settings.clock.now();
  store.idps.put({ ...row, id: row.id || store.nextId(), orgId: context.org().id, created });
}

const oidcIdps = step({
  items: (data) => data.oidcIdps,
  type: 'oidc_idp',
  id: (_, item) => item.idpId,
  store(context, { idpId, idp }) {
    if (idp === undefined) throw refusal('Org-eUpQU');
    addIdp(context, { id: idpId, name: idp.name, allowsCreation: true, oidc: idp, jwt: undefined });
  },
  succeed: (success, item) => success.oidcIpds.push(item.idpId),
});

const jwtIdps = step({
  items: (data) => data.jwtIdps,
  type: 'jwt_idp',
  id: (_, item) => item.idpId,
  silent: true,
  store(context, { idpId, idp }) {
    if (idp === undefined) throw refusal('Org-eUpQU');
    addIdp(context, { id: idpId, name: idp.name, allowsCreation: true, oidc: undefined, jwt: idp });
  },
  succeed: (success, item) => success.jwtIdps.push(item.idpId),
});

/** Texts are set, not added: the same again is no error. */
function texts(kind: TextKind, type: string): Step {
  return step({
    items: (data): readonly { language: string }[] => data[kind],
    type,
    id: (data, text) => `${data.orgId}_${text.language}`,
    store(context, text) {
      const org = context.org();
      changeOrg(context, { texts: { ...org.texts, [kind]: { ...org.texts[kind], [text.language]: text } } });
    },
  });
}

/** In the order of the service. */
export const orgSteps: readonly Step[] = [
  policy('domainPolicy'),
  allDomains,
  policy('labelPolicy'),
  policy('lockoutPolicy'),
  oidcIdps,
  jwtIdps,
  policy('loginPolicy'),
  policy('passwordComplexityPolicy'),
  policy('privacyPolicy'),
  texts('loginTexts', 'login_texts'),
  texts('initMessages', 'init_message'),
  texts('passwordResetMessages', 'password_reset_message'),
  texts('verifyEmailMessages', 'verify_email_message'),
  texts('verifyPhoneMessages', 'verify_phone_message'),
  texts('domainClaimedMessages', 'domain_claimed_message'),
  texts('passwordlessRegistrationMessages', 'passwordless_registration_message'),
  texts('verifySmsOtpMessages', 'verify_sms_otp_message'),
  texts('verifyEmailOtpMessages', 'verify_email_otp_message'),
  texts('inviteUserMessages', 'invite_user_messages'),
];
