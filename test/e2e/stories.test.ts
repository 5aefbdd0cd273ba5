/** Commands beside a reference server, one after the other, and what comes of each: `fixtures/stories.yaml`. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import type { StandardRole } from '../../src/server/options.ts';
import { type Workspace, openWorkspace, type Ran, textsOf } from '../support/workspace.ts';
import { readProject } from '../support/folder.ts';
import { showEverything } from '../support/page.ts';
import { sampleUser } from '../support/users-run.ts';

const stories: any[] = parse(readProject('fixtures/stories.yaml'), { merge: true });
const titled = stories.flatMap(({ what, each = [{}], ...story }) =>
  each.map((named: object) => [[what, Object.values(named)[0]].join(' ').trim(), named, story]),
);

it.each(titled)('%s', async (_, named, { server, steps }) => {
  const workspace = await openWorkspace(server);
  const known: Record<string, string> = { org: workspace.server.orgId, ...named };
  const filled = JSON.stringify(steps).replaceAll(/\$([a-z]+)/g, (whole, name) =>
    JSON.stringify(known[name] ?? whole).slice(1, -1),
  );
  for (const { bodies, orgs, write = {}, calls = [], run, as = 'iamOwner', token, ...told } of JSON.parse(
    filled,
  )) {
    prepare(workspace, { bodies, orgs, write });
    for (const [route, body] of calls) expect((await workspace.call(route, body)).status).toBeLessThan(300);
    const ran = await workspace.run(run, {
      env: { IDPORT_TOKEN: token ?? workspace.server.tokens[as as StandardRole] },
    });
    const { said = [], unsaid = [], files = {}, whole = {}, json = {}, notices = {}, ...expected } = told;
    const names = Object.keys({ ...files, ...whole, ...json });
    const made = names.filter((name) => !(name in write));
    const modes = made.map((name) => statSync(join(workspace.cwd, name)).mode & 0o777);
    expect(modes).toEqual(made.map(() => 0o600));
    const left = readdirSync(workspace.cwd).toSorted();
    const found = { run, ...foundIn(ran), ...usersAt(workspace), left };
    expect(found).toMatchObject({ run, exitCode: 0, code: undefined, lines: 1, ...expected });
    const shown = [showEverything(ran), ran.stdout, ...names.map(workspace.read)].join('\n');
    for (const text of said) expect(shown).toContain(text);
    for (const text of unsaid) expect(shown).not.toContain(text);
    for (const [name, value] of Object.entries<object>(json))
      expect(workspace.json(name)).toMatchObject(value);
    for (const [name, text] of Object.entries(whole)) expect(workspace.read(name)).toBe(text);
    for (const [name, text] of Object.entries<string>(files)) expect(workspace.read(name)).toContain(text);
    for (const [code, text] of Object.entries(notices)) expect(textsOf(ran, code).join('\n')).toContain(text);
  }
});

/** Writes bodies for the organization of the server, or for `orgs`, and other files. */
function prepare(
  workspace: Workspace,
  { bodies = {}, orgs = {}, write = {} }: Record<string, Record<string, any>>,
) {
  const { orgId } = workspace.server;
  const own = Object.entries(bodies).map(([name, humanUsers]) => [name, [{ orgId, humanUsers }]] as const);
  for (const [name, list] of [...own, ...Object.entries(orgs)]) {
    const filled = list.map(({ humanUsers = [], ...org }: any) => ({
      ...org,
      humanUsers: humanUsers.map(userOf),
    }));
    workspace.write(name, { dataOrgs: { orgs: filled }, timeout: '30m0s' });
  }
  for (const [name, content] of Object.entries(write)) workspace.write(name, content);
}

/** A name is that of a sample user; a list has what is special about one. */
const userOf = (one: any) => sampleUser(...([one].flat() as [string]));

function usersAt({ server, humans }: Workspace) {
  const { users, notifications } = server.state.store;
  const rows = [...users.values()].flatMap((user) => (user.kind === 'human' ? [[user.userName, user]] : []));
  return { humans: humans(), users: Object.fromEntries(rows), messages: notifications.size };
}

function foundIn({ exitCode, problem, events, stdout }: Ran) {
  const rejected = events.flatMap((event) =>
    event.type === 'record:rejected' ? [`${event.place.input} ${event.place.index} ${event.code}`] : [],
  );
  const tally = events.findLast((event) => event.type === 'run:end')?.tally;
  const reasons = Array.from(tally?.reasons ?? [], ([code, count]) => `${code} ${count}`).toSorted();
  const compared = events.findLast((event) => event.type === 'verify:end')?.users;
  const lines = problem?.message.split('\n').length ?? 1;
  return { exitCode, code: problem?.code, lines, stdout, rejected, tally, reasons, compared };
}
