/** A folder for a migration with organizations and roles: what is put into it, and what stands in its bodies. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { createTestFolder } from './folder.ts';
import { createHastyClock } from './hasty-clock.ts';
import type { Instance } from './instance.ts';
import { runProgram, type Ran } from './program.ts';

export interface BodyGrant {
  readonly userId: string;
  readonly projectId: string;
  readonly projectGrantId?: string;
  readonly roleKeys: readonly string[];
}

export interface BodyOrg {
  readonly orgId: string;
  readonly org?: { readonly name: string };
  readonly domains?: readonly { readonly domainName: string }[];
  readonly humanUsers?: readonly { readonly userId: string; readonly user: { readonly userName: string } }[];
  readonly projects?: readonly { readonly projectId: string; readonly project: { readonly name: string } }[];
  readonly projectRoles?: readonly {
    readonly roleKey: string;
    readonly displayName: string;
    readonly group?: string;
  }[];
  readonly projectGrants?: readonly {
    readonly projectGrant: { readonly grantedOrgId: string; readonly roleKeys: readonly string[] };
  }[];
  readonly userGrants?: readonly BodyGrant[];
}

export interface Migration {
  readonly cwd: string;
  put(name: string, value: unknown): void;
  read(name: string): string;
  /** Of a body or an export. */
  orgsIn(name?: string): readonly BodyOrg[];
  run(...argv: string[]): Promise<Ran>;
}

/** Waiting commands do not wait: lists of `to` come in between. */
export function createMigration(to?: () => Instance | undefined): Migration {
  const cwd = createTestFolder();
  const read = (name: string): string => readFileSync(join(cwd, name), 'utf8');
  return {
    cwd,
    read,
    put: (name, value) =>
      writeFileSync(join(cwd, name), typeof value === 'string' ? value : JSON.stringify(value)),
    orgsIn(name = 'importBody.json') {
      const body = JSON.parse(read(name)) as {
        dataOrgs?: { orgs: BodyOrg[] };
        orgs?: BodyOrg[];
      };
      return body.dataOrgs?.orgs ?? body.orgs ?? [];
    },
    run: (...argv) =>
      runProgram(argv, { cwd, clock: createHastyClock(async () => to?.()?.server.settled()) }),
  };
}

/** Everything that a service has, as `idport export` writes it. */
export async function exportFrom(migration: Migration, to: Instance): Promise<readonly BodyOrg[]> {
  const ran = await migration.run('export', ...to.flags, '--output=out.json');
  expect(ran.problem).toBeUndefined();
  return migration.orgsIn('out.json');
}

export const routes = {
  'in bulk': { argv: ['import'], journal: 'importBody.json.journal', verify: [] as string[] },
  'one by one': {
    argv: ['import-users', '--org=body', '--rate=unlimited'],
    journal: 'importBody.json.users.journal',
    verify: ['--id-map=importBody.json.ids.csv'],
  },
};
export type Route = keyof typeof routes;
export const routeNames = Object.keys(routes) as Route[];

/** Sends, verifies and rolls back the body of a migration. */
export function createSteps(migration: () => Migration, to: () => Instance) {
  const run = (...argv: string[]): Promise<Ran> => migration().run(...argv);
  return {
    send: (route: Route, ...flags: string[]): Promise<Ran> => {
      const [verb = '', ...more] = routes[route].argv;
      return run(
        verb,
        'importBody.json',
        ...to().flags,
        ...more,
        '--max-emails=unlimited',
        '--max-sms=unlimited',
        ...flags,
      );
    },
    verify: (route: Route): Promise<Ran> =>
      run('verify', 'importBody.json', ...to().flags, ...routes[route].verify),
    undo: (route: Route, ...flags: string[]): Promise<Ran> =>
      run('undo', `--journal=${routes[route].journal}`, ...to().flags, ...flags),
  };
}

/** How many users a note was made of, by its code. */
export function notesOf({ events }: Ran): Record<string, number> {
  const end = events.find((event) => event.type === 'run:end');
  return Object.fromEntries(end?.type === 'run:end' ? end.tally.reasons : []);
}

export const textsOf = ({ events }: Ran): string[] =>
  events.flatMap((event) => (event.type === 'notice' ? [event.text] : []));

function nameIn(orgs: readonly BodyOrg[]): (id: string) => string {
  const users = orgs.flatMap(({ humanUsers = [] }) => humanUsers);
  return (id) => users.find(({ userId }) => userId === id)?.user.userName ?? id;
}

/** Organization, user and roles of each grant: `Acme ada organization:admin`. */
export function grantsIn(orgs: readonly BodyOrg[]): string[] {
  const nameOf = nameIn(orgs);
  return orgs
    .flatMap(({ org, userGrants = [] }) =>
      userGrants.map(({ userId, roleKeys }) =>
        [org?.name === 'Default' ? '' : (org?.name ?? ''), nameOf(userId), ...roleKeys.toSorted()].join(' '),
      ),
    )
    .toSorted();
}

/** Role keys by user name. */
export function rolesByUser(orgs: readonly BodyOrg[]): Record<string, readonly string[]> {
  const nameOf = nameIn(orgs);
  const grants = orgs.flatMap(({ userGrants = [] }) => userGrants);
  return Object.fromEntries(grants.map(({ userId, roleKeys }) => [nameOf(userId), roleKeys.toSorted()]));
}

export const keysIn = (orgs: readonly BodyOrg[]): string[] =>
  orgs.flatMap(({ projectRoles = [] }) => projectRoles.map(({ roleKey }) => roleKey)).toSorted();
