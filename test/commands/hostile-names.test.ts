/** Names and ids that try to control a screen, a page or a spreadsheet, through every verb and into every file. */
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { beforeEach, expect, it } from 'vitest';
import { readIdMap } from '../../src/flows/report/id-map.ts';
import { signBody } from '../../src/wire/signature.ts';
import { type Workspace, jsonLines, openWorkspace } from '../support/workspace.ts';
import { showEverything } from '../support/page.ts';

const hostile = [
  '\u001b[2J\u001b]0;title\u0007',
  '\u009b31mred',
  '\u202eturned\u202c',
  '\u2066in\u2069\u200f\u061c',
  'a\r\nb\n# heading\n- item',
  'x\u2028y\ufeff',
  '<script>alert(1)</script><img src=x onerror=alert(1)>',
  '[click](javascript:alert(1)) ![x](http://evil.example/x.png)',
  'https://evil.example/path www.evil.example',
  'a|b`c`*d*_e_~~f~~$g$',
  '=HYPERLINK("http://evil.example")',
  '+1+1',
  '-1+1',
  '@SUM(1)',
  "'=1",
  'tab\there',
];

const unseen =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|\p{Surrogate}/u;

let workspace: Workspace;
beforeEach(async () => {
  workspace = await openWorkspace({ orgId: '100' });
});

/** The words of a line, then those that may have blanks in them. */
async function run(line: string, ...more: readonly string[]) {
  const ran = await workspace.run([...line.split(' '), ...more]);
  expect(showEverything(ran)).not.toMatch(unseen);
  expect(ran.stdout).not.toMatch(unseen);
  return ran;
}

function expectSafePages() {
  const pages = workspace.list().filter((name) => name.endsWith('.md'));
  expect(pages).not.toEqual([]);
  for (const page of pages) expectSafePage(page);
}

/** In Markdown, what was escaped away. */
function expectSafePage(name: string) {
  const text = workspace.read(name);
  expect(text).not.toMatch(unseen);
  // Commands in our own sentences are code.
  const own = '<!-- report of idport -->\n';
  const body = text.startsWith(own) ? text.slice(own.length) : text;
  const plain = body.replaceAll(/\\[\\`*_[\]|#~$:.]/g, '').replaceAll(/`[^`\n]*`/g, '');
  expect(plain).not.toMatch(/<[a-z/!]/i);
  expect(plain).not.toMatch(/\]\(|\bhttps?:\/\/evil|www\.evil/);
  expect(plain).not.toMatch(/^(?:#|-) (?:heading|item)/m);
}

const entry = (text: string, at: number, where: string) => ({
  userId: where === 'userId' ? text : `id-${at}`,
  user: {
    userName: where === 'userName' ? text : `user-${at}`,
    profile: { firstName: where === 'name' ? text : 'A', lastName: 'B' },
    email: { email: where === 'email' ? text : `user-${at}@acme.example`, isEmailVerified: true },
  },
});

function writeBody(name: string, where: string) {
  const humanUsers = hostile.map((text, at) => entry(text, at, where));
  const userMetadata = hostile.map((text, at) => ({ id: `id-${at}`, key: text, value: 'dg==' }));
  const userLinks = hostile.map((text, at) => ({ userId: `id-${at}`, idpId: text, providedUserId: text }));
  const org = { orgId: '100', org: { name: hostile[0] }, humanUsers, userMetadata, userLinks };
  workspace.write(name, { dataOrgs: { orgs: [org] }, timeout: '30m0s' });
}

const places = ['userId', 'userName', 'name', 'email'];
const key = 'somekey';
const callsNaming = (text: string): object[] => [
  { fullMethod: text, userID: text, orgID: text, instanceID: text, request: { [text]: text } },
  { event_type: text, aggregateID: text, userID: text, event_payload: { [text]: text } },
  { function: text, user: { [text]: text }, userID: text },
];

it.each(['id', 'username', 'firstName', 'email', 'attribute', 'realm'])(
  'hostile text from a source is escaped on screen and in reports: %s of an export',
  async (where) => {
    const users = hostile.map((text, at) => ({
      id: `id-${at}`,
      username: `user-${at}`,
      email: `user-${at}@acme.example`,
      [where]: text,
      attributes: where === 'attribute' ? { [text]: [text], locale: [text], phoneNumber: [text] } : {},
      realmRoles: [text],
      groups: [text],
      requiredActions: [text],
      credentials: [{ type: text, secretData: text, credentialData: text }],
      federatedIdentities: [{ identityProvider: text, userId: text, userName: text }],
    }));
    workspace.write('realm.json', { realm: hostile.join(''), users });
    const outputs = '--output out.json --rejects rejects.ndjson';
    for (const report of ['report.md', 'report.json'])
      await run(`migrate keycloak --org 100 --realm realm.json ${outputs} --report ${report}`);
    // Programs read it: what is in it is as it was.
    for (const { 'idport:rejected': reason, ...raw } of jsonLines(workspace.read('rejects.ndjson')))
      expect(raw).toEqual(users[reason.index]);
    const source = '--from keycloak --realm realm.json';
    await run(`check ${source} --sample 20 --report check.md`);
    await run(`verify ${source} --org 100 --report verify.md --all`);
    expectSafePages();
  },
);

const all = '--max-emails=unlimited';
const files = '--rejects rejects.json --id-map ids.csv';
it.each(
  places.flatMap((where) => [
    {
      where,
      way: 'from import to rollback',
      lines: [
        'check body.json --sample 20 --report check.md',
        'import body.json --dry-run',
        `import body.json ${all} --report import.md ${files}`,
        `import body.json ${all} --report again.md`,
        'verify body.json --report verify.md --all',
        'runs',
        'undo --journal body.json.journal',
        'export --output export.json',
      ],
    },
    {
      where,
      way: 'one by one',
      lines: [
        `import-users body.json --org 100 ${all} --report users.md ${files}`,
        `import-users body.json --org 100 ${all} --report again.md --id-map again.csv --journal again.journal`,
        'undo --journal body.json.users.journal',
      ],
    },
    {
      where,
      way: 'from one service to another',
      lines: [
        `import body.json ${all} --url FROM`,
        'copy COPYING --org 100 --dry-run',
        `copy COPYING --org 100 ${all} --report copy.md ${files}`,
      ],
    },
  ]),
)(
  'hostile text from a source is escaped on screen and in reports: $where of a body, $way',
  async ({ where, lines }) => {
    writeBody('body.json', where);
    const from = await openWorkspace({ orgId: '100' });
    const copying = `--from-url ${from.url} --from-token-file ${from.tokenFile} --to-url ${workspace.url} --to-token-file ${workspace.tokenFile}`;
    for (const line of lines) {
      const words = line
        .replace('FROM', `${from.url} --token-file ${from.tokenFile}`)
        .replace('COPYING', copying);
      const { problem } = await run(words);
      expect([line, problem?.exitCode === 2]).toEqual([line, false]);
    }
    expectSafePages();
    // The accounts of a source's own are copied too, unless the target has the same ids.
    const planted = hostile.map((text, at) => entry(text, at, where).userId);
    const known = [...planted, ...Object.values(from.server.users)];
    expect((await idsIn('ids.csv')).filter((id) => !known.includes(id))).toEqual([]);
  },
);

it('hostile text from a source is escaped on screen: targets, executions and saved calls', async () => {
  workspace.write('key', key);
  for (const [at, text] of hostile.entries()) {
    const targets = [{ name: text, endpoint: 'http://127.0.0.1:1/' }];
    workspace.write('actions.json', { targets, executions: [{ event: text }] });
    await run('actions apply actions.json');
    const endpoint = `http://127.0.0.1:1/${encodeURIComponent(text)}`;
    await run(`actions target create --endpoint ${endpoint} --name`, text);
    for (const verb of ['get', 'rotate-key', 'update', 'delete']) await run(`actions target ${verb}`, text);
    for (const condition of ['event', 'request-method', 'request-service', 'function']) {
      await run(`actions execution set --${condition}`, text, '--target', text);
      await run(`actions execution clear --${condition}`, text);
    }
    for (const [of, call] of callsNaming(text).entries()) {
      const body = JSON.stringify(call);
      const file = `${of}-${at}.http`;
      const head = `POST /hook HTTP/1.1\r\nZITADEL-Signature: ${signBody(body, key, 1_700_000_000)}\r\nX: ${text.replaceAll(/[\r\n]/g, '')}`;
      const bytes = Buffer.concat([Buffer.from(`${head}\r\n\r\n`, 'latin1'), Buffer.from(body)]);
      workspace.write(file, bytes);
      const shown = await run(`actions verify ${file} --signing-key-file key`);
      expect(shown.stdout).toMatch('REFUSED (too-old)');
      await run(`actions replay ${file} --to http://127.0.0.1:1/`);
    }
    await run('actions sign --signing-key-file key', text);
  }
  for (const format of ['text', 'json'])
    for (const kind of ['target', 'execution']) await run(`actions ${kind} list --format ${format}`);
});

it.each(['text', 'json'])(
  'hostile text from a source is escaped on screen and in file names: calls as %s',
  async (format) => {
    const calls = hostile.flatMap(callsNaming);
    const flags = `--record recorded --calls ${calls.length} --format ${format}`;
    const { out, url, ended } = await workspace.start(`actions listen ${flags}`);
    for (const [at, call] of calls.entries()) {
      const text = hostile[Math.floor(at / 3)]!;
      const path = `${url}/${encodeURIComponent(text)}?q=${encodeURIComponent(text)}`;
      await fetch(path, { method: 'POST', body: JSON.stringify(call) });
    }
    await ended;
    expect(out()).not.toMatch(unseen);
    expect(out().split('\n').length).toBeGreaterThan(calls.length);
    const files = workspace.list('recorded');
    expect(files.length).toBeGreaterThanOrEqual(calls.length);
    for (const name of files) expect(name).toMatch(/^[\w.-]+$/);
  },
);

it('hostile text from a source is escaped on screen and in reports: names of files, organizations and targets', async () => {
  for (const [at, text] of hostile.entries()) {
    const name = `${text.replaceAll(/[/\0]/g, '')}.json`;
    workspace.write(name, { realm: 'r', users: [{ id: '1', username: 'a' }] });
    await run('migrate keycloak --org', text, '--realm', `./${name}`, '--output', `out-${at}.json`);
    await run('check --report files.md', `./${name}`);
    await run('verify --org', text, `./${name}`);
    await run('explain', text);
    await run('actions target create --endpoint http://127.0.0.1:1/ --name', text);
  }
  expect((await run('actions target list')).stdout).toContain('script');
  await run('token --check');
});

/** The old ids of an id map, in which no cell is a formula. */
async function idsIn(name: string) {
  const text = workspace.read(name);
  for (const cell of parse(text).flat()) expect(cell).not.toMatch(/^[=+\-@\t\r]/);
  const ids: string[] = [];
  for await (const [oldId] of readIdMap(name, join(workspace.cwd, name))) ids.push(oldId);
  return ids;
}
