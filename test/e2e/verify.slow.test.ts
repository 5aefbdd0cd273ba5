/** `idport verify` as it is typed: what it takes, what it refuses in one line, how it ends. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { verifyReportFile } from '../../src/wire/verify-report.ts';
import { createTestFolder } from '../support/folder.ts';
import { startInstance, type Instance } from '../support/instance.ts';
import { runProcess } from '../support/process.ts';
import { runProgram, type Ran } from '../support/program.ts';
import { bodyOf, sampleUser } from '../support/users-run.ts';

let cwd: string;
let instance: Instance;
const secret = 'Secret-1234';

beforeEach(async () => {
  cwd = createTestFolder();
  instance = await startInstance(createTestFolder(), 'verify');
  onTestFinished(() => instance.close());
});

const write = (name: string, text: string): void => writeFileSync(join(cwd, name), text);
const run = (...argv: string[]): Promise<Ran> => runProgram(['verify', ...argv, ...instance.flags], { cwd });
const bodyWith = (...names: string[]): string =>
  bodyOf(
    instance.server.orgId,
    names.map((name) => sampleUser(name)),
  );

async function bringOver(...names: string[]): Promise<void> {
  write('there.json', bodyWith(...names));
  const flags = [`--org=${instance.server.orgId}`, '--ids=new', '--id-map=ids.csv', ...instance.flags];
  const ran = await runProgram(['import-users', 'there.json', ...flags], { cwd });
  expect(ran.exitCode).toBe(0);
}

describe('verify', () => {
  it('ends with 4 where any user is not as expected, names who, and counts', async () => {
    await bringOver('ann', 'zoe');
    write('body.json', bodyWith('ann', 'bob'));
    const ran = await run('body.json');
    const [zoe] = instance.server.state.store.users.by('name', 'zoe');
    expect(ran).toMatchObject({ exitCode: 4, stdout: `+ ${zoe?.id} zoe\n- old-bob bob\n` });
    expect(ran.events.at(-1)).toMatchObject({
      type: 'verify:end',
      users: { same: 1, missing: 1, extra: 1, differs: 0, unknown: 0 },
    });
    expect(ran.events.filter(({ type }) => type === 'user:compared')).toHaveLength(2);
  });

  it('ends with 5 where lists stay behind for longer than --wait, and with 2 where that is no duration', async () => {
    instance = await startInstance(createTestFolder(), 'lagging', { lag: 3_600_000 });
    onTestFinished(() => instance.close());
    await bringOver(...Array.from({ length: 260 }, (_, at) => `user-${at}`));
    const ran = await run('there.json', '--wait=100ms', '--details=none');
    expect(ran.exitCode).toBe(5);
    expect(ran.stdout.split('\n')[0]).toBe(
      '! old-user-0 user-0: not known yet: the list of the service is behind',
    );
    expect(ran.events.at(-1)).toMatchObject({ users: { missing: 0, unknown: 260, notYet: 260 } });
    expect(await run('there.json', '--wait=soon')).toMatchObject({ exitCode: 2 });
  });

  it('does not count who else is there when told so', async () => {
    await bringOver('ann', 'zoe');
    write('body.json', bodyWith('ann'));
    expect((await run('body.json', '--allow-extra')).exitCode).toBe(0);
  });

  it.each(['report.json', 'report.md'])('writes %s for its owner, without a secret', async (report) => {
    await bringOver('ann');
    write('body.json', bodyWith('ann', 'bob'));
    write('users.csv', `ann,${secret}\n`);
    const ran = await run('body.json', `--report=${report}`, '--login-sample=users.csv');
    expect(ran.problem).toBeUndefined();
    const text = readFileSync(join(cwd, report), 'utf8');
    expect(text).toContain('old-bob');
    expect(text).not.toContain(secret);
    expect(text).not.toContain('$2b$');
    expect(statSync(join(cwd, report)).mode & 0o777).toBe(0o600);
  });

  it('tells of every user before it says that the token may open no sessions', async () => {
    await bringOver('ann');
    write('body.json', bodyWith('ann', 'bob'));
    write('users.csv', `ann,${secret}\n`);
    const argv = ['verify', 'body.json', `--url=${instance.url}`, '--login-sample=users.csv'];
    const env = { IDPORT_TOKEN: instance.server.tokens.orgOwner };
    const ran = await runProgram(argv, { cwd, env });
    expect(ran).toMatchObject({
      exitCode: 1,
      stdout: '- old-bob bob\n',
      problem: { hint: expect.stringContaining('session.write') },
    });
    expect(ran.events.at(-1)).toMatchObject({ type: 'verify:end', users: { same: 1, missing: 1 } });
  });

  it.each([
    ['a page', 'page.md', '# A page\n', [], 1, /page\.md/],
    ['nothing', 'empty.json', '', [], 1, /empty\.json/],
    ['another JSON', 'other.json', '{"users":[]}', [], 2, /other\.json names no organization/],
    [
      'half a body',
      'half.json',
      '{"dataOrgs":{"orgs":[{"orgId":"1","humanUsers":[{"user',
      [],
      1,
      /half\.json/,
    ],
  ])('refuses %s in one line', async (_, name, text, flags, exitCode, message) => {
    write(name, text);
    const ran = await run(name, ...flags);
    expect(ran).toMatchObject({ exitCode, problem: { message: expect.stringMatching(message) } });
    expect(ran.problem?.code).not.toBe('unexpected');
    expect(ran.problem?.message).not.toContain('\n');
  });

  it.each([
    [[], 2, /no source is named/],
    [['body.json', '--report=body.json'], 2, /same file as the input/],
    [['body.json', '--id-map=body.json'], 2, /not an id map/],
    [['body.json', '--login-sample=nowhere.csv'], 1, /nowhere\.csv/],
    [['body.json', '--login-sample=half.csv'], 2, /row 2 has no user or no password/],
    [['body.json', '--login-sample=none.csv'], 2, /it is empty/],
    [['body.json', '--org=404'], 1, /403/],
    [['--from=keycloak', '--realm=body.json'], 2, /looks like an import body/],
  ])('%j is refused in one line', async (argv, exitCode, message) => {
    write('body.json', bodyWith('ann'));
    write('realm.json', JSON.stringify({ realm: 'r', users: [] }));
    write('half.csv', `ann,${secret}\nbob\n`);
    write('none.csv', 'user,password\n');
    const ran = await run(...argv);
    expect(ran).toMatchObject({ exitCode, problem: { message: expect.stringMatching(message) } });
    expect(JSON.stringify(ran.problem)).not.toContain(secret);
  });
});

describe('the process', () => {
  const env = () => ({ IDPORT_TOKEN: instance.server.tokens.iamOwner, IDPORT_URL: instance.url });
  const many = Array.from({ length: 3000 }, (_, at) => `user-${at}`);

  it('tells programs that the reader is gone', async () => {
    write('body.json', bodyWith(...many));
    const ran = await runProcess(['verify', 'body.json', '--json'], {
      cwd,
      env: env(),
      meanwhile: (child) => child.stdout?.once('data', () => child.stdout?.destroy()),
    });
    expect(ran.exitCode).toBe(4);
    expect(JSON.parse(ran.stderr.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
      type: 'output:closed',
    });
  });

  it('writes the whole report all the same', async () => {
    write('body.json', bodyWith(...many));
    const ran = await runProcess(['verify', 'body.json', '--quiet', '--report=r.json'], {
      cwd,
      env: env(),
      meanwhile: (child) => child.stdout?.once('data', () => child.stdout?.destroy()),
    });
    expect(ran).toMatchObject({ exitCode: 4, stderr: '3,000 missing at the target\n' });
    const report = verifyReportFile.parse(JSON.parse(readFileSync(join(cwd, 'r.json'), 'utf8')));
    expect(report.users).toHaveLength(3000);
  });

  it('says nothing with --quiet when all is well, and has no colors where none are wanted', async () => {
    await bringOver('ann');
    write('body.json', bodyWith('ann'));
    const quiet = await runProcess(['verify', 'body.json', '--quiet'], { cwd, env: env() });
    expect(quiet).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
    const plain = await runProcess(['verify', 'body.json'], { cwd, env: { ...env(), NO_COLOR: '1' } });
    expect(plain.stderr).toContain('1  same');
    expect(plain.stderr).not.toContain('\u001b');
  });
});
