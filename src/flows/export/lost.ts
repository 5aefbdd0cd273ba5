/** Says what an export does not contain, as sentences. */
import type { ExportedOrg } from '../../events.ts';

export interface Asked {
  readonly withPasswords: boolean;
  readonly withOtp: boolean;
}

interface Loss {
  readonly text: string;
  /** `has` tells whether the export may have entries in one of these lists. Absent: always. */
  readonly when?: (has: (...lists: string[]) => boolean, asked: Asked) => boolean;
}

/** What the export of the service leaves out. */
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
    text: 'keys of machine users: there are none in the answer, and older services leave them out',
    when: (has) => has('machineUsers') && !has('machineKeys'),
  },
  { text: 'personal access tokens and secrets of machine users', when: (has) => has('machineUsers') },
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

/** Names only what the organizations may have: no machine users if there are none. Those in a bucket may have all. */
export function lostBy(asked: Asked, orgs: readonly ExportedOrg[]): string[] {
  const has = (...lists: string[]) =>
    orgs.length === 0 || orgs.some(({ counts }) => lists.some((list) => (counts[list] ?? 0) > 0));
  return losses.filter(({ when }) => when?.(has, asked) ?? true).map(({ text }) => text);
}
