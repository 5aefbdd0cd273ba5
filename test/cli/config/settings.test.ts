import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type Folder, openFolder, succeeded } from '../../support/workspace.ts';
import { readProject } from '../../support/folder.ts';

let folder: Folder;
beforeEach(() => {
  folder = openFolder();
});

const write = (content: object, path = 'idport.config.json') => folder.write(path, content);

interface Shown {
  readonly verb: string;
  readonly file: string | null;
  readonly arguments: object;
  readonly values: Readonly<Record<string, { readonly value: unknown }>>;
}

async function shown(line: string, env: Record<string, string> = {}) {
  const { stdout } = await succeeded(folder.run(`${line} --print-config`, { env }));
  return JSON.parse(stdout) as Shown;
}

const cases: any[] = parse(readProject('fixtures/settings.yaml'));

it.each(cases.map(({ says, ...one }) => [says, one]))('a setting %s', async (_, { file, runs }) => {
  expect((await shown('import b.json')).file).toBeNull();
  write(file);
  for (const { line, env, values = {}, unset = [] } of runs) {
    const found = await shown(line, env);
    expect(found.file).toBe(join(folder.cwd, 'idport.config.json'));
    expect([line, found.values]).toEqual([line, expect.objectContaining(values)]);
    expect([line, unset.filter((name: string) => name in found.values)]).toEqual([line, []]);
  }
});

describe('the configuration file', () => {
  it('is that of the folder, the named one, or none', async () => {
    write({ shared: { url: 'https://here.example' } });
    write({ shared: { url: 'https://there.example' } }, 'there.json');
    const urlOf = async (flags = '') => (await shown(`undo ${flags}`)).values['url']?.value;
    expect(await urlOf()).toBe('https://here.example');
    expect(await urlOf('--config there.json')).toBe('https://there.example');
    expect(await urlOf('--no-config')).toBeUndefined();
  });

  it('resolves paths from its own folder', async () => {
    const settings = { realm: ['a.json', '-', 'gs://bucket/b.json', '/c.json'], output: 'out.json' };
    write(
      { shared: { 'target-profile': 'hosted' }, verbs: { 'migrate keycloak': settings } },
      'night/c.json',
    );
    const { values } = await shown('migrate keycloak --config=night/c.json');
    expect(values).toMatchObject({
      realm: { value: [join(folder.cwd, 'night/a.json'), '-', 'gs://bucket/b.json', '/c.json'] },
      output: { value: join(folder.cwd, 'night/out.json') },
      'target-profile': { value: 'hosted' },
    });
    const pairs = { 'migrate csv': { table: 'a:b=c.csv' }, 'jit serve': { verifier: 'ldap:l.yaml' } };
    write({ verbs: pairs }, 'night/c.json');
    const csv = await shown('migrate csv --config=night/c.json');
    const jit = await shown('jit serve --config=night/c.json');
    expect({ ...csv.values, ...jit.values }).toMatchObject({
      table: { value: [`a:b=${join(folder.cwd, 'night/c.csv')}`] },
      verifier: { value: [`ldap:${join(folder.cwd, 'night/l.yaml')}`] },
    });
    write({ shared: { 'target-profile': './mine' } }, 'night/c.json');
    const again = await shown('migrate keycloak --config=night/c.json');
    expect(again.values['target-profile']).toEqual({ value: join(folder.cwd, 'night/mine'), source: 'file' });
  });

  it('applies to a run, with a notice', async () => {
    write({ verbs: { 'migrate keycloak': { realm: 'realm.json', org: '1', output: '-' } } });
    folder.write('realm.json', '{"realm":"r","users":[{"id":"1","username":"a","email":"a@example.org"}]}');
    const { events, stdout } = await succeeded(folder.run('migrate keycloak'));
    expect(JSON.parse(stdout)).toHaveProperty('dataOrgs');
    expect(events[0]).toEqual({
      type: 'notice',
      level: 'info',
      code: 'config:used',
      text: 'using realm, org, output from idport.config.json',
    });
  });

  it.each([
    ['{"shared":{"ulr":"x"}}', 2, /shared\.ulr is not a setting/],
    ['{"shared":', 2, /JSON/],
    [undefined, 1, /there is no such file/],
  ])('%s is refused before the run begins', async (text, code, message) => {
    if (text !== undefined) folder.write('c.json', text);
    const { exitCode, problem } = await folder.run('check b.json --config=c.json');
    expect([exitCode, problem?.message]).toEqual([code, message]);
  });

  function verify(flags: string, env = {}) {
    folder.write('body.json', '{"dataOrgs":{"orgs":[{"orgId":"1"}]}}');
    return folder.run(`verify body.json ${flags}`, { env: { IDPORT_TOKEN: 't', ...env } });
  }

  it.each([
    ['', {}, '--url (in idport.config.json) is not an address: nonsense'],
    ['', { IDPORT_URL: 'other' }, '--url (in IDPORT_URL) is not an address: other'],
    ['--url=mine', { IDPORT_URL: 'other' }, '--url is not an address: mine'],
    ['--url=http://127.0.0.1:1', {}, '--wait (in idport.config.json) soon: not a duration'],
  ])('an unreadable setting is reported with its place: %j %j', async (flags, env, message) => {
    write({
      shared: { url: 'nonsense' },
      verbs: { verify: { wait: flags.includes('http') ? 'soon' : '1s' } },
    });
    const { problem, exitCode } = await verify(flags, env);
    expect([exitCode, problem?.message]).toEqual([2, message]);
  });

  it('is reported by its exact name', async () => {
    write({ shared: { url: 'nonsense' } }, 'a$&b.json');
    const { problem } = await verify('--config=a$&b.json');
    expect(problem?.message).toBe('--url (in a$&b.json) is not an address: nonsense');
  });

  it.each(['check --help', 'explain password:none'])('that is broken does not stop `%s`', async (line) => {
    folder.write('idport.config.json', 'broken');
    const { problem, stdout } = await folder.run(line);
    expect(problem?.code).not.toBe('usage');
    expect(stdout).not.toBe('');
  });
});

describe('--print-config', () => {
  it('prints the verb and arguments, and masks secrets', async () => {
    const line = 'import body.json --url=https://u:hunter2@a.example';
    const { verb, arguments: given, values } = await shown(line);
    expect({ verb, given }).toEqual({ verb: 'import', given: { body: 'body.json' } });
    expect(JSON.stringify(values)).not.toMatch(/sesame|hunter2/);
    const env = {
      IDPORT_FROM_TOKEN: 'open-sesame',
      IDPORT_TO_TOKEN: 'open-sesame',
      IDPORT_TOKEN: 'open-sesame',
    };
    for (const words of ['copy', 'import b']) {
      expect(JSON.stringify(await shown(words, env))).not.toContain('sesame');
    }
  });

  it('runs nothing, allows missing flags, and refuses wrong ones', async () => {
    folder.write('r.json', '{"format":"idport-report","of":"the last run"}');
    expect((await shown('undo --report=r.json')).values).not.toHaveProperty('journal');
    expect(folder.json('r.json')).toHaveProperty('of');
    expect(folder.list()).toEqual(['r.json']);
    expect((await folder.run('undo --jornal=x --print-config')).exitCode).toBe(2);
  });
});
