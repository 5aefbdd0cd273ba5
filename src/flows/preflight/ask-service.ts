/**
 * A client and the organizations of a body in; what stands in the way of an import out, as notices: is the service
 * there, does it know the token, what may the caller do, are the organizations there and active.
 */
import type { Client } from '../../api/client.ts';
import { neededFor } from '../../api/permissions.ts';
import type { Emit } from '../../events.ts';
import { getMyUserResponse, listPermissionsResponse } from '../../wire/account.ts';
import { getOrgResponse, listOrgsResponse } from '../../wire/organization.ts';

export interface Answers {
  /** What has to be mended before an import; told as warnings. */
  readonly problems: number;
  /** Primary domains of other organizations: a user name that ends in one is refused. */
  readonly foreignDomains: readonly string[];
}

/** The calls that the two routes begin with, and the one that exports. */
const routes = [
  { name: 'the bulk import', path: '/admin/v1/import', imports: true },
  { name: 'the one-by-one import', path: '/management/v1/users/human/_import', imports: true },
  { name: 'the export', path: '/admin/v1/export', imports: false },
] as const;

/** Throws `ApiError` where the service does not answer or does not know the token: nothing else can be asked then. */
export async function askService(client: Client, orgIds: readonly string[], emit: Emit): Promise<Answers> {
  let problems = 0;
  const say = (level: 'info' | 'warning', code: string, text: string): void => {
    if (level === 'warning') problems++;
    emit({ type: 'notice', level, code, text });
  };

  await client.call({ method: 'GET', path: '/admin/v1/healthz', anonymous: true });
  const { user } = await client.call({ method: 'GET', path: '/auth/v1/users/me', answer: getMyUserResponse });
  say(
    'info',
    'target:reached',
    `${client.url} answers; the token is that of ${user?.preferredLoginName || user?.userName || 'a user'}`,
  );

  const permissions = await askPermissions(client, orgIds[0]);
  sayRoutes(permissions, say);
  for (const orgId of orgIds) await askOrg(client, orgId, say);
  await askLogin(client, orgIds[0], say);
  const foreignDomains = permissions.has('iam.read') ? await askDomains(client, orgIds) : [];
  return { problems, foreignDomains };
}

type Say = (level: 'info' | 'warning', code: string, text: string) => void;

async function askPermissions(client: Client, org: string | undefined): Promise<ReadonlySet<string>> {
  const attempt = await client.attempt({
    method: 'POST',
    path: '/auth/v1/permissions/zitadel/me/_search',
    body: {},
    org,
    repeat: 'safe',
    answer: listPermissionsResponse,
  });
  // No membership where the organization is: then there is no permission either, and `askOrg` says why.
  return new Set(attempt.ok ? attempt.value.result : []);
}

/** One way in suffices; without any the import cannot begin. */
function sayRoutes(permissions: ReadonlySet<string>, say: Say): void {
  const ways = routes.filter(({ path }) => permissions.has(neededFor(path)?.permission ?? ''));
  const none = !ways.some(({ imports }) => imports);
  for (const { name, path, imports } of routes) {
    const need = neededFor(path);
    if (need === undefined) continue;
    const { permission, roles, where } = need;
    if (permissions.has(permission)) {
      say('info', 'target:allowed', `the token may use ${name} (${permission})`);
      continue;
    }
    const text = `the token may not use ${name}: ${permission} is missing; ${roles} has it, ${where}`;
    say(none && imports ? 'warning' : 'info', 'target:not-allowed', text);
  }
}

async function askOrg(client: Client, orgId: string, say: Say): Promise<void> {
  const attempt = await client.attempt({
    method: 'GET',
    path: '/management/v1/orgs/me',
    org: orgId,
    answer: getOrgResponse,
  });
  if (!attempt.ok) {
    say('warning', 'target:organization', `organization ${orgId}: ${attempt.error.message}`);
    return;
  }
  const { org } = attempt.value;
  if (org?.state === 'ORG_STATE_ACTIVE')
    say('info', 'target:organization', `organization ${orgId} is ${org.name}, active`);
  else say('warning', 'target:organization', `organization ${orgId} is not active: nobody in it can log in`);
}

/** A policy that bars passwords bars everybody whose only login is one. Servers without the call give no hint. */
async function askLogin(client: Client, org: string | undefined, say: Say): Promise<void> {
  const attempt = await client.attempt<{ policy?: { allowUsernamePassword?: boolean } }>({
    method: 'GET',
    path: '/management/v1/policies/login',
    org,
    answer: { parse: (value) => value as { policy?: { allowUsernamePassword?: boolean } } },
  });
  if (
    attempt.ok &&
    attempt.value.policy !== undefined &&
    attempt.value.policy.allowUsernamePassword !== true
  ) {
    say(
      'warning',
      'target:login-policy',
      'the login policy does not allow passwords: imported hashes cannot be used',
    );
  }
}

async function askDomains(client: Client, orgIds: readonly string[]): Promise<string[]> {
  const attempt = await client.attempt({
    method: 'POST',
    path: '/admin/v1/orgs/_search',
    body: { query: { limit: 1000 } },
    repeat: 'safe',
    answer: listOrgsResponse,
  });
  if (!attempt.ok) return [];
  return attempt.value.result
    .filter(({ id }) => !orgIds.includes(id))
    .map(({ primaryDomain }) => primaryDomain.toLowerCase())
    .filter((domain) => domain !== '');
}
