/** Import steps for domains, policies, identity providers and texts of an organization. */
import type { DataOrg } from '../../wire/org-data.ts';
import { refusal, notUnique } from '../errors.ts';
import { addDomain, requireUnverified, updateOrg } from '../orgs.ts';
import { type DomainRow, type IdpRow, type OrgRow, type TextKind, textKinds } from '../store/rows.ts';
import { attempt, step, type StepContext, type Step } from './step.ts';
import type { ServiceErrorId } from '../../wire/service-errors.ts';

const changeOrg = ({ job, org }: StepContext, change: Partial<OrgRow>): OrgRow =>
  updateOrg(job, org(), change);

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

/** Only a domain that was added is verified and made the primary one. */
const domains = step('domains', {
  store: ({ job, org }, { domainName }) => addDomain(job, org(), domainName),
  succeed: (success, { domainName }) => success.domains.push(domainName),
  async afterwards(context, { domainName, isVerified, isPrimary }, stored) {
    const { job, data } = context;
    const id = `${data.orgId}_${domainName}`;
    if (stored && isVerified) {
      await attempt(job, 'domain_isverified', id, () => verifyDomain(context, domainName));
    }
    if (stored && isPrimary) {
      await attempt(job, 'domain_isprimary', id, () => makePrimary(context, domainName));
    }
  },
});

type PolicyName = keyof Pick<
  DataOrg,
  | 'domainPolicy'
  | 'labelPolicy'
  | 'lockoutPolicy'
  | 'loginPolicy'
  | 'passwordComplexityPolicy'
  | 'privacyPolicy'
>;

/** The refusal of a policy that the org has already. */
const policies: Readonly<Record<PolicyName, readonly [type: string, taken: ServiceErrorId]>> = {
  domainPolicy: ['domain_policy', 'ORG-1M8ds'],
  labelPolicy: ['label_policy', 'Org-2B0ps'],
  lockoutPolicy: ['lockout_policy', 'ORG-0olDf'],
  loginPolicy: ['login_policy', 'Org-Dgfb2'],
  passwordComplexityPolicy: ['password_complexity_policy', 'Org-LdhbS'],
  privacyPolicy: ['privacy_policy', 'Org-0oLpd'],
};

const policy =
  (name: PolicyName): Step =>
  async (context) => {
    const { job, data, org } = context;
    const requested = data[name];
    if (requested === undefined) return;
    const [type, taken] = policies[name];
    job.spend(0);
    await attempt(job, type, data.orgId, () => {
      if (org()[name] !== undefined) throw refusal(taken);
      changeOrg(context, { [name]: requested });
    });
  };

function addIdp(context: StepContext, row: Omit<IdpRow, 'orgId' | 'created'>): void {
  const { store, settings } = context.job;
  if (row.id !== '' && store.idps.has(row.id)) throw refusal('Org-1J8fs');
  const taken = store.idps.by('org', context.org().id).some((idp) => idp.name === row.name);
  if (taken) throw notUnique('IDPConfig');
  const created = settings.clock.now();
  store.idps.put({ ...row, id: row.id || store.nextId(), orgId: context.org().id, created });
}

const oidcIdps = step('oidcIdps', {
  store(context, { idpId, idp }) {
    if (idp === undefined) throw refusal('Org-eUpQU');
    addIdp(context, { id: idpId, name: idp.name, allowsCreation: true, oidc: idp, jwt: undefined });
  },
  succeed: (success, item) => success.oidcIpds.push(item.idpId),
});

const jwtIdps = step('jwtIdps', {
  silent: true,
  store(context, { idpId, idp }) {
    if (idp === undefined) throw refusal('Org-eUpQU');
    addIdp(context, { id: idpId, name: idp.name, allowsCreation: true, oidc: undefined, jwt: idp });
  },
  succeed: (success, item) => success.jwtIdps.push(item.idpId),
});

/** Texts are set, not added: setting them twice is no error. */
const texts = (kind: TextKind): Step =>
  step(kind, {
    store(context, text) {
      const org = context.org();
      changeOrg(context, { texts: { ...org.texts, [kind]: { ...org.texts[kind], [text.language]: text } } });
    },
  });

/** In the order of the service. */
export const orgSteps: readonly Step[] = [
  policy('domainPolicy'),
  domains,
  policy('labelPolicy'),
  policy('lockoutPolicy'),
  oidcIdps,
  jwtIdps,
  policy('loginPolicy'),
  policy('passwordComplexityPolicy'),
  policy('privacyPolicy'),
  ...textKinds.map(texts),
];
