/** Names and ids that try to control a screen, a page or a spreadsheet, through every verb and into every file. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listenFlags } from '../../src/flags/actions.ts';
import { readFlags } from '../../src/lib/flag.ts';
import { listenForCalls } from '../../src/commands/actions/listen.ts';
import { readIdMap } from '../../src/flows/report/id-map.ts';
import { signBody } from '../../src/wire/signature.ts';
import { createTestContext } from '../support/context.ts';
import { createTestFolder } from '../support/folder.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { type Ran, runProgram } from '../support/program.ts';
import { showEverything } from '../support/shown.ts';

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

let cwd: string;
let instance: Instance;
beforeEach(async () => {
  cwd = createTestFolder();
  instance = await startInstance(cwd, 'target', { orgId: '100' });
});
afterEach(() => instance.close());

async function run(...argv: string[]): Promise<Ran> {
  const ran = await runProgram(argv, { cwd });
  expect(showEverything(ran)).not.toMatch(unseen);
  expect(ran.stdout).not.toMatch(unseen);
  return ran;
}

/** In Markdown, what was escaped away. */
function expectSafePage(name: string): void {
  const text = readFileSync(join(cwd, name), 'utf8');
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

function writeBody(name: string, where: string): void {
  const humanUsers = hostile.map((text, at) => entry(text, at, where));
  const userMetadata = hostile.map((text, at) => ({ id: `id-${at}`, key: text, value: 'dg==' }));
  const userLinks = hostile.map((text, at) => ({ userId: `id-${at}`, idpId: text, providedUserId: text }));
  const org = { orgId: '100', org: { name: hostile[0] }, humanUsers, userMetadata, userLinks };
  writeFileSync(join(cwd, name), JSON.stringify({ dataOrgs: { orgs: [org] }, timeout: '30m0s' }));
}

const places = ['userId', 'userName', 'name', 'email'];

describe('hostile names', () => {
  it.each(['id', 'username', 'firstName', 'email', 'attribute', 'realm'])(
    'in the %s of an export say nothing to a screen or a page',
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
      writeFileSync(join(cwd, 'realm.json'), JSON.stringify({ realm: hostile.join(''), users }));
      const argv = ['migrate', 'keycloak', '--org', '100', '--realm', 'realm.json', '--output', 'out.json'];
      for (const report of ['report.md', 'report.json']) {
        await run(...argv, '--report', report, '--rejects', 'rejects.ndjson');
      }
      expectSafePage('report.md');
      // Programs read it: what is in it is as it was.
      const rejected = readFileSync(join(cwd, 'rejects.ndjson'), 'utf8')
        .trimEnd()
        .split('\n')
        .filter(Boolean);
      for (const line of rejected) {
        const { 'idport:rejected': reason, ...raw } = JSON.parse(line) as Record<string, { index: number }>;
        expect(raw).toEqual(users[reason!.index]);
      }
      const source = ['--from', 'keycloak', '--realm', 'realm.json'];
      await run('check', ...source, '--sample', '20', '--report', 'check.md');
      expectSafePage('check.md');
      await run('verify', ...source, ...instance.flags, '--org', '100', '--report', 'verify.md', '--all');
      expectSafePage('verify.md');
    },
  );

  it.each(places)('in the %s of a body say nothing, from import to rollback', async (where) => {
    writeBody('body.json', where);
    await run('check', 'body.json', '--sample', '20', '--report', 'check.md');
    await run('import', 'body.json', '--dry-run');
    const outputs = ['--report', 'import.md', '--rejects', 'rejects.json', '--id-map', 'ids.csv'];
    await run('import', 'body.json', ...instance.flags, '--max-emails=unlimited', ...outputs);
    await run('import', 'body.json', ...instance.flags, '--max-emails=unlimited', '--report', 'again.md');
    await run('verify', 'body.json', ...instance.flags, '--report', 'verify.md', '--all');
    await run('runs');
    await run('undo', '--journal', 'body.json.journal', ...instance.flags);
    await run('export', ...instance.flags, '--output', 'export.json');
    for (const name of readdirSync(cwd).filter((name) => name.endsWith('.md'))) expectSafePage(name);
    expect(idsIn('ids.csv').filter((id) => !plantedIds(where).includes(id))).toEqual([]);
  });

  it.each(places)('in the %s of a body say nothing, one by one', async (where) => {
    writeBody('body.json', where);
    const argv = ['import-users', 'body.json', ...instance.flags, '--org', '100', '--max-emails=unlimited'];
    await run(...argv, '--report', 'users.md', '--rejects', 'rejects.ndjson', '--id-map', 'ids.csv');
    await run(...argv, '--report', 'again.md', '--id-map', 'again.csv', '--journal', 'again.journal');
    await run('undo', '--journal', 'body.json.users.journal', ...instance.flags);
    for (const name of readdirSync(cwd).filter((name) => name.endsWith('.md'))) expectSafePage(name);
    expect(idsIn('ids.csv').filter((id) => !plantedIds(where).includes(id))).toEqual([]);
  });

  it.each(places)(
    'in the %s of a body say nothing on their way from one service to another',
    async (where) => {
      const from = await startInstance(cwd, 'from', { orgId: '100' });
      try {
        writeBody('body.json', where);
        await run('import', 'body.json', ...from.flags, '--max-emails=unlimited');
        const copying = ['copy', '--from-url', from.url, '--from-token-file', from.tokenFile];
        copying.push('--to-url', instance.url, '--to-token-file', instance.tokenFile, '--org', '100');
        await run(...copying, '--dry-run');
        const outputs = ['--report', 'copy.md', '--rejects', 'rejects.json', '--id-map', 'ids.csv'];
        const copied = await run(...copying, '--max-emails=unlimited', ...outputs);
        expect(copied.problem).toBeUndefined();
        expectSafePage('copy.md');
        // The accounts of the source's own are copied too, unless the target has the same ids.
        const known = [...plantedIds(where), ...Object.values(from.server.users)];
        expect(idsIn('ids.csv').filter((id) => !known.includes(id))).toEqual([]);
      } finally {
        await from.close();
      }
    },
  );

  it('in targets, executions and calls say nothing', async () => {
    const key = 'somekey';
    writeFileSync(join(cwd, 'key'), key, { mode: 0o600 });
    for (const [at, text] of hostile.entries()) {
      const targets = [{ name: text, endpoint: 'http://127.0.0.1:1/' }];
      writeFileSync(join(cwd, 'actions.json'), JSON.stringify({ targets, executions: [{ event: text }] }));
      await run('actions', 'apply', 'actions.json', ...instance.flags);
      const name = ['--name', text, '--endpoint', `http://127.0.0.1:1/${encodeURIComponent(text)}`];
      await run('actions', 'target', 'create', ...name, ...instance.flags);
      for (const verb of ['get', 'rotate-key', 'update', 'delete'])
        await run('actions', 'target', verb, text, ...instance.flags);
      for (const condition of ['--event', '--method', '--service', '--function']) {
        for (const verb of ['set', 'clear']) {
          const named = verb === 'set' ? ['--target', text] : [];
          await run('actions', 'execution', verb, condition, text, ...named, ...instance.flags);
        }
      }
      const payload = { fullMethod: text, userID: text, orgID: text, request: { [text]: text } };
      const event = { event_type: text, userID: text, instanceID: text, event_payload: { [text]: text } };
      for (const [kind, value] of Object.entries({ payload, event })) {
        const body = JSON.stringify(value);
        const file = `${kind}-${at}.http`;
        const head = `POST /hook HTTP/1.1\r\nZITADEL-Signature: ${signBody(body, key, 1_700_000_000)}\r\nX: ${text.replaceAll(/[\r\n]/g, '')}`;
        const bytes = Buffer.concat([Buffer.from(`${head}\r\n\r\n`, 'latin1'), Buffer.from(body)]);
        writeFileSync(join(cwd, file), bytes);
        const shown = await run('actions', 'verify', file, '--signing-key-file', 'key', '--ignore-age');
        expect(shown.stdout).toMatch(/signature/);
        await run('actions', 'verify', file, '--signing-key-file', 'key', '--format', 'json');
        await run('actions', 'replay', file, '--to', 'http://127.0.0.1:1/');
      }
      await run('actions', 'sign', text, '--signing-key-file', 'key');
    }
    for (const format of ['text', 'json']) {
      await run('actions', 'target', 'list', ...instance.flags, '--format', format);
      await run('actions', 'execution', 'list', ...instance.flags, '--format', format);
    }
  });

  it.each(['text', 'json'] as const)('in calls that arrive say nothing, as %s', async (format) => {
    const test = createTestContext({ cwd });
    const calls = hostile.flatMap((text) => [
      { fullMethod: text, userID: text, orgID: text, instanceID: text, request: { [text]: text } },
      { event_type: text, aggregateID: text, userID: text, event_payload: { [text]: text } },
      { function: text, user: { [text]: text }, userID: text },
    ]);
    const listening = listenForCalls(
      readFlags(listenFlags, { record: 'recorded', calls: String(calls.length), format }),
      test.context,
    );
    const ready = /Listening on (http:\S+)/;
    const isReady = (): boolean =>
      test.events.some((event) => event.type === 'notice' && ready.test(event.text));
    while (!isReady()) await new Promise(setImmediate);
    const [, url = ''] = ready.exec(JSON.stringify(test.events).replaceAll('"', ' ')) ?? [];
    for (const [at, call] of calls.entries()) {
      const text = hostile[Math.floor(at / 3)]!;
      const path = `${url}/${encodeURIComponent(text)}?q=${encodeURIComponent(text)}`;
      await fetch(path, { method: 'POST', body: JSON.stringify(call) });
    }
    await listening;
    expect(test.out()).not.toMatch(unseen);
    expect(test.out().split('\n').length).toBeGreaterThan(calls.length);
    const files = readdirSync(join(cwd, 'recorded'));
    expect(files.length).toBeGreaterThanOrEqual(calls.length);
    for (const name of files) expect(name).toMatch(/^[\w.-]+$/);
  });

  it('in the names of files, organizations and targets say nothing', async () => {
    for (const [at, text] of hostile.entries()) {
      const name = `${text.replaceAll(/[/\0]/g, '')}.json`;
      writeFileSync(join(cwd, name), JSON.stringify({ realm: 'r', users: [{ id: '1', username: 'a' }] }));
      await run('migrate', 'keycloak', '--org', text, '--realm', `./${name}`, '--output', `out-${at}.json`);
      await run('check', `./${name}`, '--report', 'files.md');
      await run('verify', `./${name}`, ...instance.flags, '--org', text);
      await run('explain', text);
      await run(
        'actions',
        'target',
        'create',
        '--name',
        text,
        '--endpoint',
        'http://127.0.0.1:1/',
        ...instance.flags,
      );
    }
    const targets = await run('actions', 'target', 'list', ...instance.flags);
    expect(targets.stdout).toContain('script');
    await run('actions', 'execution', 'list', ...instance.flags);
    await run('token', '--check', ...instance.flags);
  });
});

const plantedIds = (where: string): string[] => hostile.map((text, at) => entry(text, at, where).userId);

/** The old ids of an id map, in which no cell is a formula. */
function idsIn(name: string): string[] {
  const text = readFileSync(join(cwd, name), 'utf8');
  for (const cell of parse(text).flat()) expect(cell).not.toMatch(/^[=+\-@\t\r]/);
  return readIdMap(name, text).map(([oldId]) => oldId);
}
