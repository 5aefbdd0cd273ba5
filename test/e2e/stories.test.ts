/** Commands beside a reference server, one after the other, and what comes of each: `fixtures/stories.yaml`. */
import { expect, it } from 'vitest';
import { count } from '../../src/records/tally.ts';
import type { StandardRole } from '../../src/server/options.ts';
import { addFault } from '../chaos/faults.ts';
import { casesIn, fill, proveRun, proveTexts } from '../support/cases.ts';
import { type Workspace, openWorkspace, type Ran } from '../support/workspace.ts';
import { showEverything } from '../support/page.ts';
import { sampleUser } from '../support/users-run.ts';

it.each(casesIn('stories'))('%s', async (_, { server, steps }) => {
  const workspace = await openWorkspace(server);
  for (const step of fill(steps, { org: workspace.server.orgId })) {
    const { bodies, orgs, files = {}, calls = [], fault, line, as = 'iamOwner', token, ...told } = step;
    prepare(workspace, { bodies, orgs, files });
    for (const [route, body] of calls) expect((await workspace.call(route, body)).status).toBeLessThan(300);
    if (fault) await addFault(workspace, fault);
    const ran = await workspace.run(line, {
      env: { IDPORT_TOKEN: token ?? workspace.server.tokens[as as StandardRole] },
    });
    const { holds = {}, whole = {}, json = {}, says, ...expected } = told;
    const names = Object.keys({ ...holds, ...whole, ...json });
    const made = names.filter((name) => !(name in files));
    for (const name of made) expect([name, workspace.modeOf(name)]).toEqual([name, 0o600]);
    const left = workspace.list();
    const found = { line, ...foundIn(ran), ...usersAt(workspace), left };
    const shown = [showEverything(ran), ran.stdout, ...names.map(workspace.read)].join('\n');
    proveRun(found, shown, { line, lines: 1, ...expected });
    proveTexts(ran.problem === undefined ? shown : showEverything({ ...ran, events: [] }), says);
    const written = left.filter((name) => /\.journal|ids\.csv/.test(name)).map(workspace.read);
    proveTexts([shown, ...written].join(), [], [workspace.server.tokens.iamOwner, '$2b$10$EblZqNpty']);
    for (const [name, value] of Object.entries<object>(json))
      expect(workspace.json(name)).toMatchObject(value);
    for (const [name, text] of Object.entries(whole)) expect(workspace.read(name)).toBe(text);
    for (const [name, text] of Object.entries<string>(holds)) expect(workspace.read(name)).toContain(text);
  }
});

/** Writes bodies for the organization of the server, or for `orgs`, and other files. */
function prepare(
  workspace: Workspace,
  { bodies = {}, orgs = {}, files = {} }: Record<string, Record<string, any>>,
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
  for (const [name, content] of Object.entries(files)) workspace.write(name, content);
}

/** A name is that of a sample user; a list has what is special about one. */
const userOf = (one: any) => sampleUser(...([one].flat() as [string]));

function usersAt({ server, humans }: Workspace) {
  const { store, recent } = server.state;
  const asked = new Map<string, number>();
  for (const { method, path } of recent.requests.list() as any[]) count(asked, `${method} ${path}`);
  const rows = [...store.users.values()].flatMap((user) =>
    user.kind === 'human' ? [[user.userName, user]] : [],
  );
  return {
    asked: Object.fromEntries(asked),
    humans: humans(),
    users: Object.fromEntries(rows),
    messages: recent.notifications.total,
  };
}

function foundIn({ exitCode, problem, events, stdout }: Ran) {
  const rejectedAt = events.flatMap((event) =>
    event.type === 'record:rejected' ? [`${event.place.input} ${event.place.index} ${event.code}`] : [],
  );
  const tally = events.findLast((event) => event.type === 'run:end')?.tally;
  const reasons = Object.fromEntries(tally?.reasons ?? []);
  const compared = events.findLast((event) => event.type === 'verify:end')?.users;
  const lines = problem?.message.split('\n').length ?? 1;
  return { exitCode, events, code: problem?.code, lines, stdout, rejectedAt, tally, reasons, compared };
}
