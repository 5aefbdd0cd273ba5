/** A migration with organizations, roles and applications: a folder, a service, and the verbs that lead from one to the other. */
import { expect } from 'vitest';
import type { ReferenceServerOptions } from '../../src/server/index.ts';
import type { BodyOrg } from './conversion.ts';
import { eventOf, openWorkspace, type Ran, type RunOptions } from './workspace.ts';
import { createHastyClock } from './clock.ts';

export const routes = {
  'in bulk': { send: 'import importBody.json', journal: 'importBody.json.journal', verify: '' },
  'one by one': {
    send: 'import-users importBody.json --org=body --rate=unlimited',
    journal: 'importBody.json.users.journal',
    verify: '--id-map=importBody.json.ids.csv',
  },
};
export type Route = keyof typeof routes;
export const routeNames = Object.keys(routes) as Route[];
export const allMessages = '--max-emails=unlimited --max-sms=unlimited';

export type Migration = Awaited<ReturnType<typeof startMigration>>;

/** A workspace whose commands do not wait: lists of the service come in between. */
export async function startMigration(options: ReferenceServerOptions = {}) {
  const workspace = await openWorkspace(options);
  const { server, json } = workspace;
  /** Of a body or an export. */
  const orgsIn = (name = 'importBody.json'): readonly BodyOrg[] => {
    const body = json(name) as { dataOrgs?: { orgs: BodyOrg[] }; orgs?: BodyOrg[] };
    return body.dataOrgs?.orgs ?? body.orgs ?? [];
  };
  const hurry = (more: Partial<RunOptions> = {}) => ({
    clock: createHastyClock(() => server.settled()),
    ...more,
  });
  const runAt = (line: string, more?: Partial<RunOptions>) => workspace.run(line, hurry(more));
  /** Everything that the service has, as `idport export` writes it. */
  const exported = async () => {
    expect((await runAt('export --output=out.json')).problem).toBeUndefined();
    return orgsIn('out.json');
  };
  /** Sends, verifies and rolls back the body. */
  const via = (route: Route) => {
    const { send, journal, verify } = routes[route];
    return {
      send: (flags = '') => runAt(`${send} ${allMessages} ${flags}`),
      verify: () => runAt(`verify importBody.json ${verify}`),
      undo: (flags = '') => runAt(`undo --journal=${journal} ${flags}`),
    };
  };
  return {
    ...workspace,
    to: workspace,
    store: server.state.store,
    org: server.orgId,
    put: workspace.write,
    orgsIn,
    /** Where the environment names no service. */
    run: (line: string) => workspace.runAlone(line, hurry()),
    runAt,
    seed: (...orgs: readonly object[]) => server.seed({ dataOrgs: { orgs }, timeout: '1m' }),
    exported,
    via,
    /** The body arrives, is the same, and is rolled back: then the service has what it had before. */
    async roundTrip(route: Route) {
      const before = await exported();
      const { send, verify, undo } = via(route);
      const sent = await send();
      expect(sent.problem).toBeUndefined();
      const there = await exported();
      // Addresses that CreateUser refuses.
      const missing = notesOf(sent)['single:email'] ?? 0;
      const none = { missing, differs: 0, unknown: 0, extra: 0 };
      // In bulk, some cannot sign in before they answer an email.
      const blocked = route === 'in bulk' ? {} : { blocked: 0 };
      expect(verifiedUsers(await verify())).toMatchObject({ ...none, ...blocked });
      const undone = await undo(`--yes=${usersIn(orgsIn()) - missing}`);
      expect(undone).toMatchObject({ exitCode: 0, problem: undefined });
      expect(await exported()).toEqual(before);
      return { sent, there, undone };
    },
  };
}

/** How many users a note was made of, by its code. */
export const notesOf = (ran: Ran) => Object.fromEntries(eventOf(ran, 'run:end').tally.reasons);

/** What `verify` counts. In bulk, users wait for an email, and it ends with 4. */
export const verifiedUsers = (ran: Ran) => eventOf(ran, 'verify:end').users;

export const usersIn = (orgs: readonly BodyOrg[]) =>
  orgs.reduce((sum, { humanUsers = [] }) => sum + humanUsers.length, 0);

function nameIn(orgs: readonly BodyOrg[]): (id: string) => string {
  const users = orgs.flatMap(({ humanUsers = [] }) => humanUsers);
  return (id) => users.find(({ userId }) => userId === id)?.user.userName ?? id;
}

/** Organization, user and roles of each grant: `Acme ada organization:admin`. */
export function grantsIn(orgs: readonly BodyOrg[]) {
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
export function rolesByUser(orgs: readonly BodyOrg[]) {
  const nameOf = nameIn(orgs);
  const grants = orgs.flatMap(({ userGrants = [] }) => userGrants);
  return Object.fromEntries(grants.map(({ userId, roleKeys }) => [nameOf(userId), roleKeys.toSorted()]));
}

export const keysIn = (orgs: readonly BodyOrg[]) =>
  orgs.flatMap(({ projectRoles = [] }) => projectRoles.map(({ roleKey }) => roleKey)).toSorted();

/** User names by the name of their organization. */
export const namesIn = (orgs: readonly BodyOrg[]) =>
  Object.fromEntries(
    orgs.map(({ org, humanUsers = [] }) => [
      org?.name ?? 'Default',
      humanUsers.map(({ user }) => user.userName).toSorted(),
    ]),
  );
