/** Imports by way of a bucket, while the service's own job does what it does, or does not; on a clock that tests move. */
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ApiRequest } from '../../../src/api/send.ts';
import type { BucketRoute } from '../../../src/flows/import/bucket.ts';
import type { ImportEnd } from '../../../src/flows/import/import.ts';
import { createTestFolder } from '../../support/folder.ts';
import { bodyOf, human, runImport } from '../../support/import-run.ts';
import { createTestServer, type FullServer } from '../../support/full-server.ts';
import { createService, type Fault, type Service } from '../../support/service.ts';

let folder: string;
let server: FullServer;
let jobs: string[];
let uploaded: string;
let checked: string[];
beforeEach(() => {
  folder = createTestFolder();
  server = createTestServer();
  jobs = [];
  uploaded = '';
  checked = [];
});

const sampleUsers = (end: ImportEnd) => end.tally.lists.get('humanUsers');
const ids = (count: number): string[] => Array.from({ length: count }, (_, i) => `u-${i}`);
const source = { bucket: 'moving-day', path: 'body.json', serviceAccount: 'a2V5' };

/** The service takes the job and answers as the real one does; what the job does is up to `work`. */
function route(work: (text: string) => Promise<void> = async () => {}): BucketRoute {
  return {
    source,
    stallSeconds: 60,
    async upload(text) {
      for await (const part of text) uploaded += part;
      await work(uploaded);
      return '7';
    },
    check: async (generation) => void checked.push(generation),
  };
}

function serviceWith(answer: (request: ApiRequest) => Fault | undefined = () => undefined): Service {
  return createService({
    server,
    fault: (request) => {
      if (!/_gcs"/.test(request.body ?? '')) return answer(request);
      jobs.push(request.body ?? '');
      return { status: 200, body: {} };
    },
  });
}

const endOfJob = ({ events }: Service): unknown =>
  events.find((event) => event.type === 'notice' && event.code === 'import:job-over');

describe('a job of the service', () => {
  it('that stops half-way is given up when no one has come for a minute, and the others go directly', async () => {
    const service = serviceWith();
    const bucket = route(async (text) => {
      const { orgs } = JSON.parse(text) as { orgs: { humanUsers: object[] }[] };
      const half = [{ ...orgs[0], humanUsers: orgs[0]!.humanUsers.slice(0, 6) }];
      await server.call('POST /admin/v1/import', { dataOrgs: { orgs: half }, timeout: '1m' });
    });
    const begun = server.clock.monotonic();
    const body = bodyOf(server.orgId, { humanUsers: ids(10).map((id) => human(id)) });
    const end = await runImport(service, folder, body, { bucket });
    expect(endOfJob(service)).toMatchObject({
      text: /no new user for 60 seconds; 4 users missing/,
    });
    expect((server.clock.monotonic() - begun) / 1000).toBeGreaterThanOrEqual(60);
    expect((server.clock.monotonic() - begun) / 1000).toBeLessThan(120);
    expect(sampleUsers(end)).toEqual({ total: 10, created: 10, existed: 0, failed: 0, rejected: 0 });
    const direct = service.requests.filter((request) => request === 'POST /admin/v1/import');
    expect([direct.length, jobs.length]).toEqual([2, 1]);
  });

  it('that leaves users behind leaves their metadata to them, and that of the others to the job', async () => {
    const service = serviceWith();
    const bucket = route(async (text) => {
      const { orgs } = JSON.parse(text) as { orgs: { humanUsers: object[] }[] };
      const some = [{ ...orgs[0], humanUsers: orgs[0]!.humanUsers.slice(0, 2) }];
      await server.call('POST /admin/v1/import', { dataOrgs: { orgs: some }, timeout: '1m' });
    });
    const userMetadata = ids(4).flatMap((id) =>
      ['a', 'b'].map((key) => ({ id, key, value: Buffer.from(id).toString('base64') })),
    );
    const body = bodyOf(server.orgId, { humanUsers: ids(4).map((id) => human(id)), userMetadata });
    const end = await runImport(service, folder, body, { bucket });
    expect(sampleUsers(end)).toMatchObject({ total: 4, created: 4 });
    expect(end.tally.lists.get('userMetadata')).toMatchObject({ total: 4, created: 4 });
  });

  it('that does nothing at all leaves everything to be sent directly, the organization included', async () => {
    const service = serviceWith();
    const body = bodyOf('4711', { org: { name: 'Acme' }, humanUsers: ids(3).map((id) => human(id)) });
    const end = await runImport(service, folder, body, { bucket: route() });
    expect(endOfJob(service)).toMatchObject({ text: /no new user for 60 seconds/ });
    expect(sampleUsers(end)).toMatchObject({ total: 3, created: 3 });
    expect(end.tally.lists.get('org')).toMatchObject({ total: 1, created: 1 });
  });

  it('that never ends, though a user comes now and then, is given up after its own timeout', async () => {
    let seen = 0;
    const service = serviceWith(({ url, body }) => {
      if (!url.endsWith('/users/_search') || body !== '{"query":{"limit":1}}') return undefined;
      seen += 1;
      return { status: 200, body: { details: { totalResult: `${seen}` }, result: [] } };
    });
    const begun = server.clock.monotonic();
    const body = bodyOf(server.orgId, { humanUsers: ids(200).map((id) => human(id)) });
    const end = await runImport(service, folder, body, { bucket: route(), timeout: '2m' });
    expect(endOfJob(service)).toMatchObject({ text: /its timeout of 2m0s is over; \d+ users missing/ });
    expect((server.clock.monotonic() - begun) / 1000).toBeGreaterThanOrEqual(120);
    expect(sampleUsers(end)).toMatchObject({ total: 200, created: 200 });
  });

  it('is not waited for where some users were there before', async () => {
    const service = serviceWith();
    const bucket = route(async (text) => {
      await server.call('POST /admin/v1/import', { dataOrgs: JSON.parse(text), timeout: '1m' });
    });
    const users = ids(10).map((id) => human(id));
    const before = JSON.parse(bodyOf(server.orgId, { humanUsers: users.slice(0, 4) }));
    await server.call('POST /admin/v1/import', { ...before, timeout: '1m' });
    await server.clock.advance(60_000);
    const begun = server.clock.monotonic();
    const end = await runImport(service, folder, bodyOf(server.orgId, { humanUsers: users }), { bucket });
    expect(endOfJob(service)).toBeUndefined();
    expect(server.clock.monotonic() - begun).toBeLessThan(1000);
    expect(sampleUsers(end)).toMatchObject({ created: 6, existed: 4 });
  });

  it.each([
    [true, 'data_orgsv1_gcs'],
    [false, 'data_orgs_gcs'],
  ])('is told which form its data has (first form: %j)', async (firstForm, name) => {
    const bucket = route();
    const body = JSON.stringify({ orgs: [{ orgId: server.orgId, humanUsers: [human('a')] }] });
    await runImport(serviceWith(), folder, body, { bucket, firstForm });
    expect(jobs.map((job) => JSON.parse(job))).toEqual([
      { timeout: '30m0s', [name]: { bucket: 'moving-day', path: 'body.json', serviceaccount_json: 'a2V5' } },
    ]);
    expect(Object.keys(JSON.parse(uploaded))).toEqual(['orgs']);
  });

  it('is looked for under the generation of the upload, also after a resume', async () => {
    const service = serviceWith();
    const body = bodyOf(server.orgId, { humanUsers: ids(3).map((id) => human(id)) });
    const path = join(folder, 'bucket.journal');
    const replaced = {
      ...route(),
      check: (generation: string) => {
        checked.push(generation);
        return Promise.reject(new Error('replaced'));
      },
    };
    for (const resume of [false, true]) {
      const run = runImport(service, folder, body, { bucket: replaced, journal: { path, resume } });
      await expect(run).rejects.toThrow('replaced');
    }
    expect(checked).toEqual(['7', '7']);
    expect(jobs).toHaveLength(1);
  });
});
