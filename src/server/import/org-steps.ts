/** Import steps for domains, policies, identity providers and texts of an organization. */
import type { DataOrg } from '../../wire/import.ts';
import { refusal, notUnique } from '../errors.ts';
import { snakeCase } from '../../wire/member-names.ts';
import { addDomain, requireUnverified, updateOrg } from '../orgs.ts';
import { type IdpRow, type OrgRow, type TextKind, textKinds } from '../store/rows.ts';
import { attempt, step, type StepContext, type Step } from './step.ts';
import type { ServiceErrorId } from '../../wire/service-errors.ts';

const changeOrg = (context: StepContext, change: Partial<OrgRow>): OrgRow =>
  updateOrg(context, context.org(), change);

function verifyDomain(context: StepContext, domainName: string): void {
  requireUnverified(context, domainName);
  changeOrg(context, {
    domains: context
      .org()
      .domains.map((domain) => (domain.domainName === domainName ? { ...domain, isVerified: true } : domain)),
  });
}

function makePrimary(context: StepContext, domainName: string): void {
  const { domains } = context.org();
  const domain = domains.find((each) => each.domainName === domainName);
  if (domain?.isPrimary === true) throw refusal('COMMA-FfoZO');
  if (domain?.isVerified !== true) throw refusal('COMMA-yKA80');
  changeOrg(context, { domains: domains.map((each) => ({ ...each, isPrimary: each === domain })) });
}

/** Only a domain that was added is verified and made the primary one. */
const domains = step('domains', {
  store: (context, { domainName }) => addDomain(context, context.org(), domainName),
  succeed: (success, { domainName }) => success.domains.push(domainName),
  async afterwards(context, { domainName, isVerified, isPrimary }, stored) {
    const id = `${context.orgId}_${domainName}`;
    if (stored && isVerified) {
      await attempt(context, 'domain_isverified', id, () => verifyDomain(context, domainName));
    }
    if (stored && isPrimary) {
      await attempt(context, 'domain_isprimary', id, () => makePrimary(context, domainName));
    }
  },
});

/** `taken` refuses one where the org has such a policy already. */
const policy =
  (name: Extract<keyof OrgRow & keyof DataOrg, `${string}Policy`>, taken: ServiceErrorId): Step =>
  async (context) => {
    const requested = context.data[name];
    if (requested === undefined) return;
    context.spend(0);
    await attempt(context, snakeCase(name), context.orgId, () => {
      if (context.org()[name] !== undefined) throw refusal(taken);
      changeOrg(context, { [name]: requested });
    });
  };

function addIdp({ store, orgId }: StepContext, id: string, kind: Pick<IdpRow, 'oidc' | 'jwt'>): void {
  const idp = kind.oidc ?? kind.jwt;
  if (idp === undefined) throw refusal('Org-eUpQU');
  if (id !== '' && store.idps.has(id)) throw refusal('Org-1J8fs');
  const { name } = idp;
  if (store.idps.by('org', orgId).some((other) => other.name === name)) throw notUnique('IDPConfig');
  const created = store.now();
  store.idps.put({ ...kind, id: id || store.nextId(), orgId, name, created, allowsCreation: true });
}

const oidcIdps = step('oidcIdps', {
  store: (context, { idpId, idp }) => addIdp(context, idpId, { oidc: idp }),
  succeed: 'oidcIpds',
});

const jwtIdps = step('jwtIdps', {
  silent: true,
  store: (context, { idpId, idp }) => addIdp(context, idpId, { jwt: idp }),
  succeed: 'jwtIdps',
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
  policy('domainPolicy', 'ORG-1M8ds'),
  domains,
  policy('labelPolicy', 'Org-2B0ps'),
  policy('lockoutPolicy', 'ORG-0olDf'),
  oidcIdps,
  jwtIdps,
  policy('loginPolicy', 'Org-Dgfb2'),
  policy('passwordComplexityPolicy', 'Org-LdhbS'),
  policy('privacyPolicy', 'Org-0oLpd'),
  ...textKinds.map(texts),
];
