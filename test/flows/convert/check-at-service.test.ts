/** `check --url`: what only the service can say, asked of the reference server over a socket. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createReferenceServer, type InspectableServer } from '../../../src/server/index.ts';
import type { StandardRole } from '../../../src/server/options.ts';
import type { ReportFile } from '../../../src/wire/report.ts';
import { createTestFolder } from '../../support/folder.ts';
import { type Ran, runProgram } from '../../support/program.ts';

let server: InspectableServer;
let url: string;
let close: () => Promise<void>;

beforeEach(async () => {
  server = createReferenceServer({ profile: 'all-verifiers', rate: null });
  const listening = await server.listen({ port: 0 });
  ({ url } = listening);
  close = () => listening.close();
});
afterEach(() => close());

const person = (name: string): object => ({
  userId: `id-${name}`,
  user: {
    userName: name,
    profile: { firstName: name, lastName: 'X' },
    email: { email: `${name.replace('@', '.')}@example.org`, isEmailVerified: true },
    hashedPassword: { value: '$2b$10$U4C0ZY8OG8y41F9LusfKyu3HRMBL0rCZcKBVsXhgr.n8Ou6FPhzO2' },
  },
});

async function send(orgs: readonly object[]): Promise<void> {
  await server.app.request('/admin/v1/import', {
    method: 'POST',
    headers: { authorization: `Bearer ${server.tokens.iamOwner}` },
    body: JSON.stringify({ dataOrgs: { orgs }, timeout: '5m' }),
  });
}

async function check(
  people: readonly object[],
  role: StandardRole = 'iamOwner',
  orgId = server.orgId,
): Promise<Ran & { report: ReportFile | undefined; notices: string[] }> {
  const cwd = createTestFolder();
  writeFileSync(
    join(cwd, 'body.json'),
    JSON.stringify({ dataOrgs: { orgs: [{ orgId, humanUsers: people }] } }),
  );
  writeFileSync(join(cwd, 'token'), server.tokens[role], { mode: 0o600 });
  const ran = await runProgram(
    ['check', 'body.json', '--report=report.json', `--url=${url}`, '--token-file=token'],
    { cwd },
  );
  const notices = ran.events.flatMap((event) =>
    event.type === 'notice' && event.level === 'warning' ? [event.code] : [],
  );
  if (ran.problem !== undefined) return { ...ran, notices, report: undefined };
  return {
    ...ran,
    notices,
    report: JSON.parse(readFileSync(join(cwd, 'report.json'), 'utf8')) as ReportFile,
  };
}

const rejected = (report: ReportFile | undefined): [number, string][] =>
  (report?.users ?? []).map(({ index, reasons }) => [index, reasons[0]?.code ?? '']);

it('finds nothing where an import would go through', async () => {
  const { exitCode, notices, report } = await check([person('ada'), person('ben')]);
  expect(notices).toEqual([]);
  expect(rejected(report)).toEqual([]);
  expect(exitCode).toBe(0);
});

it('names people who are there already, by user name in any case and by id', async () => {
  await send([{ orgId: server.orgId, humanUsers: [person('ada'), person('ben')] }]);
  const sameId = { ...person('cyn'), userId: 'id-ben' };
  const { exitCode, report } = await check([person('ADA'), sameId, person('dora')]);
  expect(rejected(report)).toEqual([
    [0, 'target:user-exists'],
    [1, 'target:user-exists'],
  ]);
  expect(exitCode).toBe(4);
});

it('asks for people page by page, not one by one', async () => {
  const crowd = Array.from({ length: 2500 }, (_, place) => person(`p${place}`));
  await send([{ orgId: server.orgId, humanUsers: crowd }]);
  const { report } = await check([person('p2499'), person('new')]);
  expect(rejected(report)).toEqual([[0, 'target:user-exists']]);
});

it('says which role is missing, and where to set it', async () => {
  const { exitCode, events, notices } = await check([person('ada')], 'nobody');
  expect(exitCode).toBe(4);
  expect(notices).toContain('target:not-allowed');
  const texts = events.flatMap((event) => (event.type === 'notice' ? [event.text] : []));
  expect(texts.join('\n')).toMatch(/iam\.write is missing; IAM_OWNER has it, in the default settings/);
});

it('lets one allowed route suffice', async () => {
  const { exitCode, notices } = await check([person('ada')], 'orgOwner');
  expect(notices).toEqual([]);
  expect(exitCode).toBe(0);
});

it('says that an organization is not there', async () => {
  const { exitCode, notices } = await check([person('ada')], 'iamOwner', '404');
  expect(notices).toContain('target:organization');
  expect(exitCode).toBe(4);
});

it('knows domains of other organizations', async () => {
  await send([
    {
      orgId: 'other',
      org: { name: 'Other' },
      domains: [{ domainName: 'other.example', isVerified: true, isPrimary: true }],
    },
  ]);
  const { report } = await check([person('ada@OTHER.example'), person('ben@elsewhere.example')]);
  expect(rejected(report)).toEqual([[0, 'target:foreign-domain']]);
});

it('ends with one line where the token is not known', async () => {
  const cwd = createTestFolder();
  writeFileSync(join(cwd, 'body.json'), '{"dataOrgs":{"orgs":[]}}');
  const ran = await runProgram(['check', 'body.json', `--url=${url}`, '--token=nobody-knows'], { cwd });
  expect(ran.exitCode).toBe(1);
  expect(ran.problem?.message).toMatch(/401/);
  expect(JSON.stringify(ran)).not.toContain('nobody-knows');
});
