/** Imports by way of a bucket, while the service's own job does what it does, or does not; on a clock that tests move. */
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import type { ApiRequest } from '../../../src/api/send.ts';
import type { BucketJob } from '../../../src/flows/import/run.ts';
import { textsOf } from '../../support/workspace.ts';
import { createTestFolder } from '../../support/folder.ts';
import { countsOf, runImport, createService, type Fault, type Service } from '../../support/service.ts';
import { bodyOf, sampleUser, userNames } from '../../support/users-run.ts';
import { createTestServer, type FullServer } from '../../support/full-server.ts';

let folder: string;
let server: FullServer;
let jobs: string[];
let uploaded: string;
beforeEach(() => {
  folder = createTestFolder();
  server = createTestServer();
  jobs = [];
  uploaded = '';
});

/** The service takes the job and answers as the real one does; the job imports the users of the upload up to `most`. */
function route(most = 0): BucketJob {
  return {
    source: { bucket: 'moving-day', path: 'body.json', serviceAccount: 'a2V5' },
    stallSeconds: 60,
    async upload(text) {
      for await (const part of text) uploaded += part;
      if (most === 0) return '7';
      const [org] = JSON.parse(uploaded).orgs as { humanUsers: object[] }[];
      const orgs = [{ ...org, humanUsers: org!.humanUsers.slice(0, most) }];
      await server.call('POST /admin/v1/import', { dataOrgs: { orgs }, timeout: '1m' });
      return '7';
    },
    check: async () => {},
  };
}

function serviceWith(answer: (request: ApiRequest) => Fault | undefined = () => undefined) {
  return createService({
    server,
    fault: (request) => {
      if (!/_gcs"/.test(request.body ?? '')) return answer(request);
      jobs.push(request.body ?? '');
      return { status: 200, body: {} };
    },
  });
}

/** By a job that imports up to so many of them. */
const importUsers = (users: number, most: number, service = serviceWith(), more: object = {}) =>
  runImport(service, folder, bodyOf(server.orgId, userNames(users)), {
    bucket: route(most),
    ...more,
  });
const endOfJob = (service: Service) => textsOf(service, 'import:job-over')[0];
const secondsSince = (begun: number) => (server.clock.monotonic() - begun) / 1000;

it('an import job of the service from a bucket is given up if no user appears for a minute, and the other users are sent directly', async () => {
  const service = serviceWith();
  const begun = server.clock.monotonic();
  const end = await importUsers(10, 6, service);
  expect(endOfJob(service)).toMatch('no new user for 60 seconds; 4 users missing');
  expect(Math.floor(secondsSince(begun) / 60)).toBe(1);
  expect(countsOf(end)).toEqual({ read: 10, written: 10, rejected: 0, skipped: 0 });
  const direct = service.requests.filter((request) => request === 'POST /admin/v1/import');
  expect([direct.length, jobs.length]).toEqual([2, 1]);
});

it('an import job of the service from a bucket that leaves users out leaves their metadata and all texts to direct requests', async () => {
  const userMetadata = userNames(4).flatMap((name) =>
    ['a', 'b'].map((key) => ({ id: `old-${name}`, key, value: 'dg==' })),
  );
  const initMessages = [{ language: 'en', title: 'Hello' }];
  const body = bodyOf(server.orgId, userNames(4), { userMetadata, initMessages });
  const end = await runImport(serviceWith(), folder, body, { bucket: route(2) });
  expect(countsOf(end)).toMatchObject({ read: 4, written: 4 });
  expect(countsOf(end, 'userMetadata')).toMatchObject({ read: 4, written: 4 });
  // The service would write them to the organization of the request.
  expect(uploaded).not.toContain('initMessages');
  expect(countsOf(end, 'initMessages')).toMatchObject({ read: 1, written: 1 });
});

it('an import job of the service from a bucket that does nothing is replaced by direct requests, including the organization', async () => {
  const service = serviceWith();
  const body = bodyOf('4711', userNames(3), { org: { name: 'Acme' } });
  const end = await runImport(service, folder, body, { bucket: route() });
  expect(endOfJob(service)).toMatch('no new user for 60 seconds');
  expect(countsOf(end)).toMatchObject({ read: 3, written: 3 });
  expect(countsOf(end, 'org')).toMatchObject({ read: 1, written: 1 });
});

it('an import job of the service from a bucket that never ends is given up after its own timeout', async () => {
  let seen = 0;
  const service = serviceWith(({ url, body }) => {
    if (!url.endsWith('/users/_search') || body !== '{"query":{"limit":1}}') return undefined;
    seen += 1;
    return { status: 200, body: { details: { totalResult: `${seen}` }, result: [] } };
  });
  const begun = server.clock.monotonic();
  const end = await importUsers(200, 0, service, { timeout: '2m' });
  expect(endOfJob(service)).toMatch(/its timeout of 2m0s is over; \d+ users missing/);
  expect(secondsSince(begun)).toBeGreaterThanOrEqual(120);
  expect(countsOf(end)).toMatchObject({ read: 200, written: 200 });
});

it('an import job of the service from a bucket is not waited for if the missing users existed before', async () => {
  const service = serviceWith();
  await server.call('POST /admin/v1/import', bodyOf(server.orgId, userNames(4)));
  await server.clock.advance(60_000);
  const begun = server.clock.monotonic();
  const end = await importUsers(10, 10, service);
  expect(endOfJob(service)).toBeUndefined();
  expect(secondsSince(begun)).toBeLessThan(1);
  expect(countsOf(end)).toMatchObject({ written: 6, skipped: 4 });
});

it.each([
  [true, 'data_orgsv1_gcs'],
  [false, 'data_orgs_gcs'],
])(
  'an import job of the service from a bucket is sent under the name of its data form (first form: %j)',
  async (firstForm, name) => {
    const body = JSON.stringify({ orgs: [{ orgId: server.orgId, humanUsers: [sampleUser('a')] }] });
    await runImport(serviceWith(), folder, body, { bucket: route(), firstForm });
    expect(jobs.map((job) => JSON.parse(job))).toEqual([
      { timeout: '30m0s', [name]: { bucket: 'moving-day', path: 'body.json', serviceaccount_json: 'a2V5' } },
    ]);
    expect(Object.keys(JSON.parse(uploaded))).toEqual(['orgs']);
  },
);

it('an import job of the service from a bucket is checked with the generation of the upload, also after --resume', async () => {
  const service = serviceWith();
  const body = bodyOf(server.orgId, userNames(3));
  const check = (generation: string) => Promise.reject(new Error(`${generation} is replaced`));
  for (const resume of [false, true]) {
    const journal = { path: join(folder, 'bucket.journal'), resume };
    const run = runImport(service, folder, body, { bucket: { ...route(), check }, journal });
    await expect(run).rejects.toThrow('7 is replaced');
  }
  expect(jobs).toHaveLength(1);
});
