/** The GitHub action, the GitLab example and the Homebrew formula, as far as a machine without these services can run them. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createTestFolder, readProject as read, root, typicalRealm } from '../support/folder.ts';
import { isInstalled } from '../support/local-program.ts';
import { runCommand, type ProcessResult } from '../support/process.ts';

const { version } = JSON.parse(read('package.json'));
const action = parse(read('action/action.yml'));

let cwd: string;
/** A folder with an export, and the built `idport` in the path, as after a global installation. */
beforeEach(() => {
  cwd = createTestFolder();
  mkdirSync(join(cwd, 'bin'));
  const program = `#!/bin/sh\nexec '${process.execPath}' '${join(root, 'bin/idport.js')}' "$@"\n`;
  writeFileSync(join(cwd, 'bin/idport'), program, { mode: 0o755 });
  cpSync(typicalRealm, join(cwd, 'realm.json'));
});

const bash = (argv: readonly string[], env: Readonly<Record<string, string>>) =>
  runCommand('bash', argv, {
    stdin: '',
    cwd,
    env: { PATH: [join(cwd, 'bin'), process.env['PATH']].join(delimiter), HOME: cwd, ...env },
  });

/** Runs the last step of the action with these inputs, the others as by default. */
async function runAction(inputs: Record<string, string>): Promise<ProcessResult & { outputs: unknown }> {
  const [, , { env, run }] = action.runs.steps;
  const given = Object.fromEntries(
    Object.entries<string>(env).map(([variable, from]) => {
      const name = /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(from)?.[1] ?? '';
      return [variable, inputs[name] ?? action.inputs[name].default];
    }),
  );
  const outputs = join(cwd, 'outputs');
  const finished = await bash(['-e', '-o', 'pipefail', '-c', run], {
    ...given,
    GITHUB_ACTION_PATH: join(root, 'action'),
    GITHUB_OUTPUT: outputs,
  });
  const lines = readFileSync(outputs, 'utf8').trim().split('\n');
  return { ...finished, outputs: Object.fromEntries(lines.map((line) => line.split('='))) };
}

describe('the GitHub action', () => {
  it('pins the actions that it uses, and installs this version', () => {
    const used = read('action/action.yml').match(/uses: .*/g)!;
    for (const line of used) expect(line).toMatch(/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    expect(action.inputs.version.default).toBe(version);
  });

  it('passes inputs as variables, never as text of a script', () => {
    for (const { run = '' } of action.runs.steps) expect(run).not.toContain('${{');
  });

  const flags = '--realm=realm.json';
  const command = 'migrate keycloak';
  const adds = /counts add up: 7 \+ 0 \+ 0 = 7/;
  it.each([
    [
      'rehearses: converts, checks, imports and verifies, and writes the page to sign off',
      { source: 'keycloak', 'max-emails': '10', flags: `${flags}\n\n--on-refused-hash=drop\n` },
      { exitCode: 0, stderr: adds },
      { 'exit-code': '0', body: 'importBody.json', report: 'idport-reports/rehearsal.html' },
      ['idport-reports/rehearsal.html'],
    ],
    [
      'fails with the exit code of the first command that fails',
      { source: 'keycloak', flags: `${flags}\n--max-without-password=0` },
      { exitCode: 4 },
      { 'exit-code': '4' },
      [],
    ],
    [
      'runs one command; a flag is a line, whatever stands in it',
      { command, flags: `${flags}\n--org=1\n--output=a $(touch here) body.json` },
      { exitCode: 0 },
      { 'exit-code': '0' },
      ['a $(touch here) body.json'],
    ],
    [
      'accepts the exit codes that it is told to accept',
      { command, accept: '0,2' },
      { exitCode: 0 },
      { 'exit-code': '2' },
      [],
    ],
    ['accepts no other', { command, accept: '0,3' }, { exitCode: 2 }, { 'exit-code': '2' }, []],
    [
      'takes spaces and line breaks around inputs for what they are',
      {
        command: 'migrate\n  keycloak\n',
        flags: `  ${flags} \r\n --org=1\r\n\r\n`,
        accept: ' 0, 3 ',
      },
      { exitCode: 0 },
      { 'exit-code': '0' },
      ['importBody.json'],
    ],
    [
      'lets the name of a folder begin no other output',
      { source: 'keycloak', reports: 'a\nbody=b' },
      { exitCode: 2 },
      { 'exit-code': '2' },
      [],
    ],
  ])('%s', { timeout: 120_000 }, async (_, inputs, ended, outputs, written) => {
    const { outputs: found, ...finished } = await runAction(inputs);
    expect(finished).toMatchObject(ended);
    expect(found).toEqual(outputs);
    for (const name of written) expect([name, existsSync(join(cwd, name))]).toEqual([name, true]);
    expect(existsSync(join(cwd, 'here'))).toBe(false);
  });
});

it('the GitLab example rehearses', async () => {
  const { rehearsal } = parse(read('docs/gitlab-ci.yml'));
  // Another job of this machine may have the port of the example.
  const serve = rehearsal.script[0].replace('idport serve', 'idport serve --port=0');
  const address = `IDPORT_URL=$(node -p 'JSON.parse(fs.readFileSync("server.json", "utf8")).url')`;
  const script = ["trap 'kill $!' EXIT", serve, rehearsal.script[1], address, ...rehearsal.script.slice(2)];
  expect(await bash(['-e', '-c', script.join('\n')], rehearsal.variables)).toMatchObject({
    exitCode: 0,
    stderr: /counts add up: 7 \+ 0 \+ 0 = 7/,
  });
  expect(existsSync(join(cwd, 'reports/rehearsal.html'))).toBe(true);
}, 120_000);

describe('the Homebrew formula', () => {
  const script = join(root, 'scripts/homebrew-formula.js');

  const packed = 'packed';
  /** Of a package with an address, as the release sets it. */
  function formula() {
    cpSync(script, join(cwd, 'scripts/homebrew-formula.js'));
    const repository = { type: 'git', url: 'git+https://example.org/idport.git' };
    const named = { ...JSON.parse(read('package.json')), repository };
    writeFileSync(join(cwd, 'package.json'), JSON.stringify(named));
    writeFileSync(join(cwd, 'idport.tgz'), packed);
    const argv = ['scripts/homebrew-formula.js', 'idport.tgz'];
    return execFileSync(process.execPath, argv, { cwd, encoding: 'utf8' });
  }

  it('has the version and the checksum of the packed file', () => {
    const lines = formula();
    expect(lines).toContain(`sha256 "${createHash('sha256').update(packed).digest('hex')}"`);
    expect(lines).toContain(`/idport-${version}.tgz"`);
    expect(lines).toContain('homepage "https://example.org/idport"');
  });

  it.skipIf(!isInstalled('ruby', '--version'))('is valid Ruby (needs ruby)', () => {
    expect(execFileSync('ruby', ['-c'], { input: formula(), encoding: 'utf8' })).toContain('Syntax OK');
  });

  it('is not written without an address of the project', () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, 'idport.tgz'], {
      encoding: 'utf8',
    });
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^error: .*repository\.url.*\n$/);
  });
});
