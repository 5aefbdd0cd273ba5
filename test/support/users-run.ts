/** A one-by-one import in this process, against the reference server on a clock that moves by itself. */
import { join } from 'node:path';
import type { Selection } from '../../src/flows/import-users/select-users.ts';
import { importUsers } from '../../src/flows/import-users/import-users.ts';
import type { ImportRequest } from '../../src/flows/import/run.ts';
import { type ImportUsersRequest, createErrorLimit } from '../../src/flows/import-users/run.ts';
import { loadPreviousRuns } from '../../src/flows/incremental/previous-runs.ts';
import { createRunOutputs } from '../../src/flows/report/run-outputs.ts';
import type { UserSource } from '../../src/flows/read/read-users.ts';
import type { Route } from '../../src/records/messages.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { builtInProfiles } from '../../src/profiles/built-in.ts';
import { advancing } from './clock.ts';
import { createTestFolder } from './folder.ts';
import { memoryInput } from './memory-input.ts';
import { contextOf, createService, runImport, type Service, type ServiceOptions } from './service.ts';
import type { UserRow } from '../../src/server/store/rows.ts';
import { createTestServer } from './full-server.ts';

export function sampleUser(name: string, more: object = {}, entry: object = {}) {
  return {
    userId: `old-${name}`,
    user: {
      userName: name,
      profile: { firstName: 'First', lastName: name },
      email: { email: `${name}@example.com`, isEmailVerified: true },
      hashedPassword: { value: '$2b$10$EblZqNptyYvcLm/VwDCVAuBjzZOI7khzdyGPBr08PpIi0na624b8.' },
      ...more,
    },
    ...entry,
  };
}

export const called = (name: string, firstName: string) =>
  sampleUser(name, { profile: { firstName, lastName: name } });

/** A text is the name of a sample user; `lists` are others of the organization. */
export function bodyOf(orgId: string, users: readonly unknown[], lists: object = {}) {
  const humanUsers = users.map((user) => (typeof user === 'string' ? sampleUser(user) : user));
  return JSON.stringify({ dataOrgs: { orgs: [{ orgId, humanUsers, ...lists }] }, timeout: '30m0s' });
}

/** A list of a body: these users have a value. */
export const metadataOf = (...names: readonly string[]) => ({
  userMetadata: names.map((name) => ({ id: `old-${name}`, key: 'k', value: 'dg==' })),
});

/** Lists of a body: a project with a role, which these users have. */
export const projectLists = (projectId: string, roleKey: string, ...userIds: readonly string[]) => ({
  projects: [{ projectId, project: { name: 'Harbour' } }],
  projectRoles: [{ projectId, roleKey, displayName: roleKey }],
  userGrants: userIds.map((userId) => ({ userId, projectId, roleKeys: [roleKey] })),
});

/** A list of a body, for links to `idp`. */
export const oidcIdps = [{ idpId: 'idp', idp: { name: 'I', clientId: 'c', clientSecret: 's', issuer: 'i' } }];

/** `user-0`, `user-1`, ... */
export const userNames = (count: number) => Array.from({ length: count }, (_, at) => `user-${at}`);

export interface Target extends Service {
  readonly org: string;
  readonly clock: Clock;
}

export function createTarget(options: ServiceOptions = {}): Target {
  const server = options.server ?? createTestServer();
  const clock = advancing(server.clock);
  return { ...createService({ ...options, server, clock }), org: server.orgId, clock };
}

/** Lists of the server are so many milliseconds behind. */
export const createLagging = (lag: number, options: ServiceOptions = {}) =>
  createTarget({ server: createTestServer({}, { lag }), ...options });

export const allUsers: Selection = {
  offset: 0,
  limit: Infinity,
  users: new Set(),
  rejectedBefore: undefined,
  previous: undefined,
};

export interface RunUsersOptions extends Partial<Omit<ImportUsersRequest, 'source' | 'client'>> {
  readonly folder?: string;
  readonly resume?: boolean;
  readonly route?: Route;
  readonly duplicates?: UserSource['duplicates'];
  readonly signal?: AbortSignal;
}

export function runUsers(
  { client, org, clock, events }: Target,
  body: string,
  {
    folder = createTestFolder(),
    resume = false,
    signal,
    route = 'one-call',
    duplicates = 'reject',
    ...more
  }: RunUsersOptions = {},
) {
  return importUsers(
    {
      source: {
        provider: 'body',
        options: {},
        inputs: [memoryInput('importBody.json', body)],
        companions: {},
        policy: {
          profile: builtInProfiles.get('all-verifiers')!,
          onRefusedHash: 'refuse',
          withoutPassword: 'import',
          route,
          isOneCall: route !== 'import',
        },
        duplicates,
      },
      client,
      org,
      orgs: [{ orgId: org, name: '', domains: [] }],
      selection: allUsers,
      journal: { path: join(folder, 'users.journal'), resume },
      idMapPath: join(folder, 'ids.csv'),
      api: route === 'import' ? 'v1' : 'v2',
      idRule: { keep: true, prefix: '' },
      onExisting: 'skip',
      wait: 600_000,
      errors: createErrorLimit({}),
      limits: { emails: 0, sms: 0 },
      concurrency: 8,
      perSecond: undefined,
      dryRun: false,
      settings: {},
      log: createRunOutputs({ report: undefined, rejects: undefined }),
      ...more,
    },
    contextOf({ events, clock }, signal),
  );
}

export const ways = ['one by one', 'in bulk'] as const;
export type Way = (typeof ways)[number];

/** By one verb or the other. The journal is `users.journal` in the folder. */
export const importBy = (
  way: Way,
  target: Target,
  body: string,
  {
    folder = createTestFolder(),
    size,
  }: { readonly folder?: string; readonly size?: ImportRequest['size'] } = {},
) =>
  way === 'one by one'
    ? runUsers(target, body, { folder })
    : runImport(target, folder, body, {
        journal: { path: join(folder, 'users.journal'), resume: false },
        ...(size && { size }),
      });

/** Creates a user as another program would. */
export function createBeside({ server, org }: Target, { userId, user }: ReturnType<typeof sampleUser>) {
  const { userName: username, profile, email } = user;
  const human = {
    profile: { givenName: profile.firstName, familyName: profile.lastName },
    email: { email: email.email, isVerified: true },
  };
  return server.call('POST /v2/users/new', { organizationId: org, userId, username, human });
}

export interface PassOptions extends RunUsersOptions {
  /** Lists of the body beside its users. */
  readonly lists?: object;
  /** Another client of the same service. */
  readonly over?: Target;
}

/** Passes over the same users in one folder: each has a journal of its own, and goes on from those it names. */
export function createPasses(target: Target = createTarget()) {
  const folder = createTestFolder();
  const path = (name: string) => join(folder, `${name}.journal`);
  const previous = (since: readonly string[], name: string) => {
    const journal = { path: path(name), resume: false };
    const run = { verb: 'import-users', url: target.client.url, orgs: [target.org], journal } as const;
    return loadPreviousRuns(since.map(path), run);
  };
  const pass = async (
    name: string,
    since: readonly string[],
    users: readonly unknown[],
    { lists, over = target, resume = false, ...more }: PassOptions = {},
  ) => {
    const selection = { ...allUsers, previous: since.length === 0 ? undefined : await previous(since, name) };
    const journal = { path: path(name), resume };
    return runUsers(over, bodyOf(target.org, users, lists), { folder, journal, selection, ...more });
  };
  const names = ['first', 'second', 'third', 'fourth', 'fifth'];
  const begun: string[] = [];
  /** Goes on from all that came by this way. */
  const next = (users: readonly unknown[], options?: PassOptions) => {
    const since = [...begun];
    begun.push(names[since.length]!);
    return pass(begun.at(-1)!, since, users, options);
  };
  return { target, folder, path, previous, pass, next };
}

/** The same, after the first of them. */
export async function beginPasses(users: readonly unknown[], options?: PassOptions, target?: Target) {
  const passes = createPasses(target);
  await passes.next(users, options);
  return passes;
}

/** One field of each of them. */
export const fieldAt = <Field extends keyof UserRow>(target: Target, field: Field) =>
  Object.fromEntries(Array.from(usersAt(target), ([name, user]) => [name, user[field]]));

export const namesAt = (target: Target) => [...usersAt(target).keys()].toSorted();

/** Users at the target who were imported, by user name. Throws where a name is there twice. */
export function usersAt({ server, org }: Pick<Target, 'server' | 'org'>) {
  const sampleUsers = [...server.state.store.users.values()].filter(
    ({ kind, orgId }) => kind === 'human' && orgId === org,
  );
  const byName = new Map(sampleUsers.map((user) => [user.userName, user]));
  if (byName.size < sampleUsers.length) throw new Error('a user is there twice');
  return byName;
}

/** One of them. */
export const userAt = (target: Pick<Target, 'server' | 'org'>, name: string) => usersAt(target).get(name)!;
