/** The command `verify`: what it accepts, what it refuses in one line, and its exit code. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { verifyReportFile } from '../../src/wire/reports.ts';
import { type Desk, openDesk, succeeded } from '../support/desk.ts';
import type { ProcessOptions } from '../support/process.ts';

let desk: Desk;
const secret = 'Secret-1234';
beforeEach(async () => {
  desk = await openDesk();
});

async function bringOver(...names: string[]) {
  desk.writeBody('there.json', names);
  await succeeded(desk.run(`import-users there.json --org=${desk.server.orgId} --ids=new --id-map=ids.csv`));
}

describe('idport verify', () => {
  const bringAnn = async () => {
    await bringOver('ann');
    desk.writeBody('body.json', ['ann', 'bob']);
    desk.write('users.csv', `ann,${secret}\n`);
  };

  it('exits 4 if a user differs, names the users and counts them', async () => {
    await bringOver('ann', 'zoe');
    desk.writeBody('body.json', ['ann', 'bob']);
    const ran = await desk.run('verify body.json');
    const [zoe] = desk.server.state.store.users.by('name', 'zoe');
    expect(ran).toMatchObject({ exitCode: 4, stdout: `+ ${zoe?.id} zoe\n- old-bob bob\n` });
    expect(ran.events.at(-1)).toMatchObject({
      type: 'verify:end',
      users: { same: 1, missing: 1, extra: 1, differs: 0, unknown: 0 },
    });
    expect(ran.events.filter(({ type }) => type === 'user:compared')).toHaveLength(2);
  });

  it('exits 5 if lists lag longer than --wait, and 2 if --wait is invalid', async () => {
    desk = await openDesk({ lag: 3_600_000 });
    await bringOver(...Array.from({ length: 260 }, (_, at) => `user-${at}`));
    const ran = await desk.run('verify there.json --wait=100ms --details=none');
    expect(ran.exitCode).toBe(5);
    expect(ran.stdout.split('\n')[0]).toBe(
      '! old-user-0 user-0: not known yet: the list of the service is behind',
    );
    expect(ran.events.at(-1)).toMatchObject({ users: { missing: 0, unknown: 260, notYet: 260 } });
    expect(await desk.run('verify there.json --wait=soon')).toMatchObject({ exitCode: 2 });
  });

  it('ignores extra users with --allow-extra', async () => {
    await bringOver('ann', 'zoe');
    desk.writeBody('body.json', ['ann']);
    await succeeded(desk.run('verify body.json --allow-extra'));
    desk.writeBody('second.json', ['zoe']);
    const both = await desk.run('verify body.json second.json');
    expect(both).toMatchObject({ exitCode: 0, stdout: '' });
    expect(both.events.at(-1)).toMatchObject({ users: { same: 2, extra: 0 } });
  });

  it.each(['report.json', 'report.md'])('writes a private %s without secrets', async (report) => {
    await bringAnn();
    const ran = await desk.run(`verify body.json --report=${report} --login-sample=users.csv`);
    expect(ran.problem).toBeUndefined();
    const text = desk.read(report);
    expect(text).toContain('old-bob');
    expect(text).not.toContain(secret);
    expect(text).not.toContain('$2b$');
    expect(statSync(join(desk.cwd, report)).mode & 0o777).toBe(0o600);
  });

  it('lists every user before it reports that the token may not open sessions', async () => {
    await bringAnn();
    const ran = await desk.run('verify body.json --login-sample=users.csv', {
      env: { IDPORT_TOKEN: desk.server.tokens.orgOwner },
    });
    expect(ran).toMatchObject({
      exitCode: 1,
      stdout: '- old-bob bob\n',
      problem: { hint: expect.stringContaining('session.write') },
    });
    expect(ran.events.at(-1)).toMatchObject({ type: 'verify:end', users: { same: 1, missing: 1 } });
  });

  it.each([
    ['page.md', '# A page\n', 1, /page\.md/],
    ['empty.json', '', 1, /empty\.json/],
    ['other.json', '{"users":[]}', 2, /no organization is named in \S*other\.json/],
    ['nameless.json', '{"orgs":[{"humanUsers":[]}]}', 2, /nameless\.json has no orgId/],
    ['half.json', '{"dataOrgs":{"orgs":[{"orgId":"1","humanUsers":[{"user', 1, /half\.json/],
  ])('refuses %s in one line', async (name, text, exitCode, message) => {
    desk.write(name, text);
    const ran = await desk.run(`verify ${name}`);
    expect(ran).toMatchObject({ exitCode, problem: { message } });
    expect(ran.problem?.code).not.toBe('unexpected');
    expect(ran.problem?.message).not.toContain('\n');
  });

  it.each([
    ['verify', 2, /no source is named/],
    ['verify body.json --report=body.json', 2, /same file as the input/],
    ['verify body.json --id-map=body.json', 2, /not an id map/],
    ['verify body.json --login-sample=nowhere.csv', 1, /nowhere\.csv/],
    ['verify body.json --login-sample=half.csv', 2, /row 2 has no user or no password/],
    ['verify body.json --login-sample=none.csv', 2, /it is empty/],
    ['verify body.json --org=404', 1, /403/],
    ['verify --from=keycloak --realm=body.json', 2, /looks like an import body/],
  ])('refuses it in one line: %s', async (line, exitCode, message) => {
    desk.writeBody('body.json', ['ann']);
    desk.write('half.csv', `ann,${secret}\nbob\n`);
    desk.write('none.csv', 'user,password\n');
    const ran = await desk.run(line);
    expect(ran).toMatchObject({ exitCode, problem: { message } });
    expect(JSON.stringify(ran.problem)).not.toContain(secret);
  });
});

describe('the process of idport verify', () => {
  const many = Array.from({ length: 3000 }, (_, at) => `user-${at}`);
  const leaving: Partial<ProcessOptions> = {
    meanwhile: (child) => child.stdout?.once('data', () => child.stdout?.destroy()),
  };

  it('emits output:closed if the reader closes stdout', async () => {
    desk.writeBody('body.json', many);
    const ran = await desk.runProcess('verify body.json --json', leaving);
    expect(ran.exitCode).toBe(4);
    expect(JSON.parse(ran.stderr.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
      type: 'output:closed',
    });
  });

  it.each(['--all', '--allow-extra'])('does not exit 0 if stdout was closed early with %s', async (flag) => {
    desk.writeBody('body.json', many);
    const ran = await desk.runProcess(`verify body.json --quiet ${flag}`, leaving);
    expect(ran.exitCode).toBe(1);
    expect(ran.stderr).toContain('Not all users were compared');
  });

  it('writes the complete report if stdout was closed early', async () => {
    desk.writeBody('body.json', many);
    const ran = await desk.runProcess('verify body.json --quiet --report=r.json', leaving);
    expect(ran).toMatchObject({ exitCode: 4, stderr: '3,000 missing at the target\n' });
    const report = verifyReportFile.parse(desk.json('r.json'));
    expect(report.users).toHaveLength(3000);
  });

  it('prints nothing with --quiet if all users are the same, and no colors with NO_COLOR', async () => {
    await bringOver('ann');
    desk.writeBody('body.json', ['ann']);
    const quiet = await desk.runProcess('verify body.json --quiet');
    expect(quiet).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
    const plain = await desk.runProcess('verify body.json', { env: { NO_COLOR: '1' } });
    expect(plain.stderr).toContain('1  same');
    expect(plain.stderr).not.toContain('\u001b');
  });
});
