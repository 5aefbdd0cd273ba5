/** What was asked for and what came in; what the export does not hold, as sentences for people, out. */
import type { ExportedOrg } from '../../events.ts';

export interface Asked {
  readonly withPasswords: boolean;
  readonly withOtp: boolean;
}

interface Loss {
  readonly text: string;
  /** `has` any entry of one of these lists; undefined where what came in is not known. */
  readonly when: (has: (...lists: string[]) => boolean | undefined, asked: Asked) => boolean | undefined;
}

/** Of the service itself: the spec's section 2.11, and what servers of version 4 leave out besides. */
const losses: readonly Loss[] = [
  {
    text: 'password hashes: not asked for (export --with-passwords, copy without --no-passwords)',
    when: (has, { withPasswords }) => !withPasswords && has('humanUsers') !== false,
  },
  {
    text: 'one-time password secrets: not asked for (export --with-otp, copy without --no-otp)',
    when: (has, { withOtp }) => !withOtp && has('humanUsers') !== false,
  },
  {
    text: 'keys of machine users: there are none in the answer, and older services leave them out',
    when: (has) => has('machineUsers') && !has('machineKeys'),
  },
  { text: 'personal access tokens and secrets of machine users', when: (has) => has('machineUsers') },
  { text: 'passkeys, codes by SMS and e-mail, and recovery codes', when: (has) => has('humanUsers') },
  {
    text: 'secrets of applications (client ids change as well)',
    when: (has) => has('oidcApps', 'apiApps'),
  },
  { text: 'SAML applications', when: (has) => has('projects') },
  {
    text: 'settings of the instance: policies, managers, identity providers, second factors, targets and executions',
    when: (has) => has() !== undefined,
  },
  {
    text: 'of organizations: metadata, logos and fonts, invitation texts, identity providers other than OIDC and JWT',
    when: (has) => has() !== undefined,
  },
  { text: 'history and sessions', when: (has) => has() !== undefined },
];

/** Only what can be missed: nothing of machine users where there are none. */
export function lostBy(asked: Asked, orgs: readonly ExportedOrg[]): string[] {
  const has = (...lists: string[]): boolean | undefined =>
    orgs.length === 0 ? undefined : orgs.some(({ counts }) => lists.some((list) => (counts[list] ?? 0) > 0));
  return losses.filter(({ when }) => when(has, asked) === true).map(({ text }) => text);
}
