/** Lists what an export does not contain, as sentences. */
import type { ExportedOrg } from '../../events.ts';

interface Asked {
  readonly withPasswords: boolean;
  readonly withOtp: boolean;
}

interface Loss {
  readonly text: string;
  /** `has` reports whether the export may have entries in one of these lists. If absent, the loss always applies. */
  readonly when?: (has: (...lists: string[]) => boolean, asked: Asked) => boolean;
}

/** What the service leaves out of exports. */
const losses: readonly Loss[] = [
  {
    text: 'password hashes: not requested (export --with-passwords, copy without --no-passwords)',
    when: (has, { withPasswords }) => !withPasswords && has('humanUsers'),
  },
  {
    text: 'TOTP secrets: not requested (export --with-otp, copy without --no-otp)',
    when: (has, { withOtp }) => !withOtp && has('humanUsers'),
  },
  {
    text: 'keys of service accounts: there are none in the answer, and older services leave them out',
    when: (has) => has('machineUsers') && !has('machineKeys'),
  },
  { text: 'personal access tokens and secrets of service accounts', when: (has) => has('machineUsers') },
  {
    text: 'that users must change their password: passwordChangeRequired in GET /v2/users/<id>',
    when: (has) => has('humanUsers'),
  },
  { text: 'passkeys, codes by SMS and email, and recovery codes', when: (has) => has('humanUsers') },
  {
    text: 'secrets of applications (client ids change as well)',
    when: (has) => has('oidcApps', 'apiApps'),
  },
  { text: 'SAML applications', when: (has) => has('projects') },
  {
    text: 'settings of the instance: policies, managers, identity providers, second factors, targets and executions',
  },
  {
    text: 'of organizations: metadata, logos and fonts, invitation texts, identity providers other than OIDC and JWT',
  },
  { text: 'history and sessions' },
];

/**
 * Returns only losses that can concern the organizations: nothing about service accounts if there are none. An export in a bucket
 * may contain anything.
 */
export function lostBy(asked: Asked, orgs: readonly ExportedOrg[]) {
  const has = (...lists: string[]) =>
    orgs.length === 0 || orgs.some(({ counts }) => lists.some((list) => (counts[list] ?? 0) > 0));
  return losses.filter(({ when }) => when?.(has, asked) ?? true).map(({ text }) => text);
}
