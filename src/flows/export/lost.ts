/** What was asked for and what came in; what the export cannot hold, as sentences for people, out. */
import type { ExportedOrg } from '../../events.ts';

/** Of the service itself: the spec's section 2.11, and what servers of version 4 leave out besides. */
const always: readonly string[] = [
  'settings of the instance: policies, managers, identity providers, second factors',
  'passkeys, codes by SMS and e-mail, and recovery codes',
  'personal access tokens, secrets of applications and of machine users (client ids change as well)',
  'SAML applications, and identity providers other than OIDC and JWT',
  'metadata of organizations, logos and fonts, invitation texts, targets and executions',
  'history and sessions',
];

export function lostBy(
  { withPasswords, withOtp }: { readonly withPasswords: boolean; readonly withOtp: boolean },
  orgs: readonly ExportedOrg[],
): string[] {
  const has = (list: string): boolean => orgs.some(({ counts }) => (counts[list] ?? 0) > 0);
  const bySize = orgs.length === 0 ? [] : always;
  return [
    ...(withPasswords ? [] : ['password hashes: ask for them with --with-passwords']),
    ...(withOtp ? [] : ['one-time password secrets: ask for them with --with-otp']),
    ...(has('machineUsers') && !has('machineKeys') ? ['keys of machine users'] : []),
    ...bySize,
  ];
}
