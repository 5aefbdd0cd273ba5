import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exportOrgs, type ExportRequest, lostBy } from '../../../src/flows/export/export.ts';
import { createFileSink } from '../../../src/storage/file-sink.ts';
import { drive } from '../../support/clock.ts';
import { codesOf } from '../../support/workspace.ts';
import { createTestFolder } from '../../support/folder.ts';
import { refusal, type Step } from '../../support/script.ts';
import { contextOf, createService } from '../../support/service.ts';

async function run(steps: readonly (Step | 'reset')[], overrides: Partial<ExportRequest> = {}) {
  const cwd = createTestFolder();
  const bodies: Record<string, unknown>[] = [];
  const { client, server, events } = createService({
    fault({ body = '{}' }, number) {
      bodies.push(JSON.parse(body));
      const step = steps[number] ?? steps.at(-1)!;
      return step === 'reset' ? step : { status: 200, ...step };
    },
  });
  const request: ExportRequest = {
    client,
    sink: createFileSink('export.json', cwd),
    orgs: [],
    exclude: [],
    withPasswords: true,
    withOtp: true,
    timeout: '10m0s',
    answerTimeout: 1000,
    splitByOrg: false,
    ...overrides,
  };
  const { clock } = server;
  const end = await drive(clock, exportOrgs(request, contextOf({ events, clock })));
  const [text = ''] = readdirSync(cwd).map((name) => readFileSync(join(cwd, name), 'utf8'));
  return { end, text, bodies, notices: codesOf({ events }) };
}

const exported = (...ids: string[]): Step => ({
  body: { orgs: ids.map((orgId) => ({ orgId, org: { name: `Org ${orgId}` }, future: { x: ['kept'] } })) },
});
const orgsIn = (text: string) =>
  (JSON.parse(text) as { orgs: { orgId: string }[] }).orgs.map(({ orgId }) => orgId);
const tooLarge = {
  status: 429,
  body: { code: 8, message: 'trying to send message larger than max (2 vs. 1)' },
};
const bucket = { bucket: 'b', path: 'p.json', serviceAccount: 'a2V5' };

describe('exportOrgs', () => {
  it('exports each organization alone if one answer is too large, and joins the answers', async () => {
    const orgs = ['1', '2'];
    const { text, bodies, notices } = await run([tooLarge, exported('1'), exported('2')], { orgs });
    expect(JSON.parse(text)).toEqual(exported('1', '2').body);
    expect(bodies.map((body) => body['org_ids'])).toEqual([['1', '2'], ['1'], ['2']]);
    expect(notices).toEqual(expect.arrayContaining(['export:split', 'export:references']));
  });

  it('repeats a broken request and writes the answer once', async () => {
    const { text, bodies } = await run(['reset', { status: 503 }, exported('1')]);
    expect([orgsIn(text), bodies.length]).toEqual([['1'], 3]);
  });

  it.each([
    ['of one organization that is too large is told', tooLarge, 'export:too-large'],
    ['whose answer is not whole JSON is none', { body: '{"orgs":[{"orgId":"1"}' }, 'input:truncated'],
  ])('%s', async (_, step, code) => {
    await expect(run([step], { orgs: ['1'] })).rejects.toMatchObject({ code });
  });

  it('reports organizations that the answer lacks', async () => {
    const { end, notices } = await run([exported('1')], { orgs: ['1', '2'] });
    expect([end.missing, notices.includes('export:missing')]).toEqual([['2'], true]);
  });

  it('names an organization whose users the lists have lost, and exports the others', async () => {
    const lost = refusal(400, 3, 'QUERY-3n77z', 'not found');
    const orgs = ['1', '2', '3'];
    const { end, notices, text } = await run([lost, exported('1'), lost, exported('3')], { orgs });
    expect([end.missing, end.lost, orgsIn(text)]).toEqual([[], ['2'], ['1', '3']]);
    expect(notices).toContain('export:lost');
  });
});

it('exportOrgs to a bucket saves an inline answer if the service ignores the bucket', async () => {
  const { text, notices } = await run([exported('1')], { bucket });
  expect([orgsIn(text), notices]).toEqual([['1'], ['export:inline']]);
});

const saidOf = (counts: Record<string, number>, isAsked = true) =>
  lostBy({ withPasswords: isAsked, withOtp: isAsked }, [
    { orgId: '1', name: 'Acme', counts, passwords: 0, otp: 0 },
  ]).join('\n');
const nothing = saidOf({});

it.each([
  ['service accounts', { machineUsers: 1 }, true, /keys of service accounts[^]*tokens/, /passkeys/],
  [
    'service accounts with their keys',
    { machineUsers: 1, machineKeys: 1 },
    true,
    /tokens/,
    /keys of service accounts/,
  ],
  ['users', { humanUsers: 1 }, true, /must change their password[^]*passkeys/, /not requested/],
  ['users without their secrets', { humanUsers: 1 }, false, /password hashes[^]*TOTP secrets/, /machine/],
  ['applications', { oidcApps: 1 }, true, /secrets of applications/, /SAML/],
  ['projects', { projects: 1 }, false, /SAML applications/, /not requested/],
])('lostBy names exactly what an export lacks of %s', (_, counts, isAsked, told, not) => {
  const said = saidOf(counts, isAsked);
  expect(said).toMatch(told);
  expect(said).not.toMatch(not);
  expect(nothing).not.toMatch(told);
});
