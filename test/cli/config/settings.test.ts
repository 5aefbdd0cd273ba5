import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ShownConfig } from '../../../src/cli/config/show.ts';
import { createTestFolder } from '../../support/folder.ts';
import { runProgram } from '../../support/program.ts';

let cwd: string;
beforeEach(() => {
  cwd = createTestFolder();
});

const write = (content: object, path = 'idport.config.json'): void =>
  writeFileSync(join(cwd, path), JSON.stringify(content));

async function shown(argv: readonly string[], env: Record<string, string> = {}): Promise<ShownConfig> {
  const { stdout, problem, exitCode } = await runProgram([...argv, '--print-config'], { cwd, env });
  expect({ problem, exitCode }).toEqual({ problem: undefined, exitCode: 0 });
  return JSON.parse(stdout) as ShownConfig;
}

describe('a value', () => {
  const file = { shared: { url: 'https://shared.example', rate: '1/s' }, verbs: { import: { rate: '2/s' } } };

  it('is the default without flag, environment and file', async () => {
    const { values, file: used } = await shown(['import', 'b.json']);
    expect(values['on-existing']).toEqual({ value: 'skip', source: 'default' });
    expect(values).not.toHaveProperty('rate');
    expect(used).toBeNull();
  });

  it('comes from the file before the default', async () => {
    write({ verbs: { import: { 'on-existing': 'fail' } } });
    const { values, file: used } = await shown(['import', 'b.json']);
    expect(values['on-existing']).toEqual({ value: 'fail', source: 'file' });
    expect(used).toBe(join(cwd, 'idport.config.json'));
  });

  it('comes from the environment before the file', async () => {
    write(file);
    expect((await shown(['undo'])).values['url']).toEqual({
      value: 'https://shared.example',
      source: 'file',
    });
    const env = { IDPORT_URL: 'https://env.example' };
    expect((await shown(['undo'], env)).values['url']).toEqual({
      value: 'https://env.example',
      source: 'environment',
      variable: 'IDPORT_URL',
    });
    expect((await shown(['undo'], { IDPORT_URL: '' })).values['url']).toMatchObject({ source: 'file' });
  });

  it('that is a list is replaced by the list that is typed, not added to it', async () => {
    write({ verbs: { 'migrate keycloak': { realm: ['a', 'b'], idp: 'x=1' } } });
    const { values } = await shown(['migrate', 'keycloak', '--realm=c']);
    expect(values['realm']).toEqual({ value: ['c'], source: 'flag' });
    expect(values['idp']).toEqual({ value: ['x=1'], source: 'file' });
  });

  it('that is false stands for a --no- flag, and a number for its text', async () => {
    write({ verbs: { verify: { export: false }, serve: { port: 0, control: false } } });
    expect((await shown(['verify'])).values['export']).toEqual({ value: false, source: 'file' });
    expect((await shown(['serve'])).values).toMatchObject({
      port: { value: '0', source: 'file' },
      control: { value: false, source: 'file' },
    });
  });
});

describe('flags that stand for one another', () => {
  const file = {
    shared: { 'token-file': 'token.txt' },
    verbs: { 'import-users': { from: 'keycloak', realm: 'r.json', 'max-emails': 'unlimited', org: '1' } },
  };
  beforeEach(() => write(file));

  it('a typed key leaves the token of the file out, and so does one of the environment', async () => {
    const typed = (await shown(['import-users', '--key-file=key.json'])).values;
    expect(typed).not.toHaveProperty('token-file');
    const { values } = await shown(['import-users'], { IDPORT_KEY_FILE: 'key.json' });
    expect(values).not.toHaveProperty('token-file');
    expect(values['key-file']).toEqual({
      value: 'key.json',
      source: 'environment',
      variable: 'IDPORT_KEY_FILE',
    });
  });

  it('a limit of emails for the verb counts more than a shared one', async () => {
    write({ shared: { 'max-emails': 5 }, verbs: { 'import-users': { 'max-emails': 'unlimited' } } });
    expect((await shown(['import-users'])).values['max-emails']).toEqual({
      value: 'unlimited',
      source: 'file',
    });
  });

  it.each([
    [['import-users', 'body.json']],
    [['import-users', '--org=2', 'body.json']],
    [['import-users', '-']],
  ])('%j: a body takes the place of the export in the file', async (argv) => {
    const { values } = await shown(argv);
    expect(values).not.toHaveProperty('from');
    expect(values).not.toHaveProperty('realm');
    expect((await shown(['import-users', '--org=2'])).values).toHaveProperty('from');
  });

  it('the key of the file is the key of the caller, where the verb has a key of its own', async () => {
    write({ shared: { 'key-file': 'caller.json' } });
    const { values } = await shown(['actions', 'target', 'create', '--key-file=signing.key']);
    expect(values['user-key-file']).toEqual({ value: 'caller.json', source: 'file' });
    expect(values['key-file']).toEqual({ value: 'signing.key', source: 'flag' });
  });

  it('the server of a rehearsal takes nothing that is shared, and an export no choice of organizations', async () => {
    write({ shared: { rate: '1/s', org: '7' } });
    expect((await shown(['serve'])).file).toBe(join(cwd, 'idport.config.json'));
    expect((await shown(['serve'])).values).not.toHaveProperty('rate');
    expect((await shown(['export'])).values).not.toHaveProperty('org');
    expect((await shown(['check'])).values['org']).toEqual({ value: '7', source: 'file' });
  });
});

describe('the file', () => {
  it('is the one of the folder, or the one that is named, or none', async () => {
    write({ shared: { url: 'https://here.example' } });
    write({ shared: { url: 'https://there.example' } }, 'there.json');
    const urlOf = async (...argv: string[]) => (await shown(['undo', ...argv])).values['url']?.value;
    expect(await urlOf()).toBe('https://here.example');
    expect(await urlOf('--config', 'there.json')).toBe('https://there.example');
    expect(await urlOf('--no-config')).toBeUndefined();
  });

  it('has paths from its own folder', async () => {
    mkdirSync(join(cwd, 'night'));
    const settings = { realm: ['a.json', '-', 'gs://bucket/b.json', '/c.json'], output: 'out.json' };
    write(
      { shared: { 'target-profile': 'hosted' }, verbs: { 'migrate keycloak': settings } },
      'night/c.json',
    );
    const { values } = await shown(['migrate', 'keycloak', '--config=night/c.json']);
    expect(values).toMatchObject({
      realm: { value: [join(cwd, 'night/a.json'), '-', 'gs://bucket/b.json', '/c.json'] },
      output: { value: join(cwd, 'night/out.json') },
      'target-profile': { value: 'hosted' },
    });
    write({ shared: { 'target-profile': './mine' } }, 'night/c.json');
    const again = await shown(['migrate', 'keycloak', '--config=night/c.json']);
    expect(again.values['target-profile']).toEqual({ value: join(cwd, 'night/mine'), source: 'file' });
  });

  it('holds for a run, which says so', async () => {
    write({ verbs: { 'migrate keycloak': { realm: 'realm.json', org: '1', output: '-' } } });
    writeFileSync(
      join(cwd, 'realm.json'),
      '{"realm":"r","users":[{"id":"1","username":"a","email":"a@example.org"}]}',
    );
    const { events, exitCode, stdout, problem } = await runProgram(['migrate', 'keycloak'], { cwd });
    expect({ exitCode, problem }).toEqual({ exitCode: 0, problem: undefined });
    expect(JSON.parse(stdout)).toHaveProperty('dataOrgs');
    expect(events[0]).toEqual({
      type: 'notice',
      level: 'info',
      code: 'config:used',
      text: 'idport.config.json gives realm, org, output',
    });
  });

  it.each([
    ['{"shared":{"ulr":"x"}}', 2, /shared\.ulr is no setting/],
    ['{"shared":', 2, /JSON/],
    [undefined, 1, /there is no such file/],
  ])('%s is refused before the run begins', async (text, code, message) => {
    if (text !== undefined) writeFileSync(join(cwd, 'c.json'), text);
    const { exitCode, problem } = await runProgram(['check', 'b.json', '--config=c.json'], { cwd });
    expect(exitCode).toBe(code);
    expect(problem?.message).toMatch(message);
  });

  it.each([
    ['check', '--help'],
    ['explain', 'password:none'],
  ])('that is broken does not keep `%s %s` from its answer', async (...argv) => {
    writeFileSync(join(cwd, 'idport.config.json'), 'broken');
    const { problem, stdout } = await runProgram(argv, { cwd });
    expect(problem?.code).not.toBe('usage');
    expect(stdout).not.toBe('');
  });
});

describe('--print-config', () => {
  it('shows the verb, its arguments, and no value that is a secret', async () => {
    const argv = ['import', 'body.json', '--url=https://u:hunter2@a.example'];
    const { verb, arguments: given, values } = await shown(argv);
    expect({ verb, given }).toEqual({ verb: 'import', given: { body: 'body.json' } });
    expect(JSON.stringify(values)).not.toMatch(/sesame|hunter2/);
    const env = {
      IDPORT_FROM_TOKEN: 'open-sesame',
      IDPORT_TO_TOKEN: 'open-sesame',
      IDPORT_TOKEN: 'open-sesame',
    };
    for (const words of [['copy'], ['import', 'b']]) {
      expect(JSON.stringify(await shown(words, env))).not.toContain('sesame');
    }
  });

  it('runs nothing, asks for nothing that is missing, and still refuses what is wrong', async () => {
    expect((await shown(['undo'])).values).not.toHaveProperty('journal');
    const { exitCode } = await runProgram(['undo', '--jornal=x', '--print-config'], { cwd });
    expect(exitCode).toBe(2);
  });
});
