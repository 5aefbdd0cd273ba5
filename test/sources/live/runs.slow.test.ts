/** Runs that read a running system: over TLS, at a rate, in shards. */
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { createFakeClock } from '../../support/clock.ts';
import { createTestFolder } from '../../support/folder.ts';
import { openWorkspace, succeeded, runProgram } from '../../support/workspace.ts';
import { endAt, type ProcessOptions, type ProcessResult, runProcess } from '../../support/process.ts';
import { databases, has, type LiveDatabase, startPostgres, startSlapd } from '../../support/live-programs.ts';

const count = 300;
const rows = Array.from({ length: count }, (_, at) => `(${at}, 'Ann ${at}', 'ann${at}@example.org', null)`);
const tables = `create table users (id int primary key, name varchar(255), email varchar(255), password varchar(255));
  insert into users values ${rows.join(', ')};`;

let postgres: LiveDatabase;
beforeAll(async () => {
  if (!has.postgres) return;
  postgres = await startPostgres();
  postgres.sql(tables);
}, 120_000);
afterAll(() => postgres?.stop());

const migrate = (source: string, flags: readonly string[], options: Partial<ProcessOptions> = {}) =>
  runProcess(['migrate', source, '--org=1', '--target-profile=all-verifiers', '--json', ...flags], {
    cwd: createTestFolder(),
    ...options,
  });
const usersOf = ({ stdout, stderr }: ProcessResult) =>
  /"read":(\d+)/.test(stdout + stderr) ? Number(/"read":(\d+)/.exec(stdout + stderr)![1]) : stderr;

it.skipIf(!has.postgres)(
  'migrate --database reads each row once within --database-rate (needs PostgreSQL)',
  async () => {
    let slept = 0;
    const clock = { ...createFakeClock(), sleep: async (ms: number) => void (slept += ms) };
    const { exitCode } = await runProgram(
      ['migrate', 'laravel', '--org=1', `--database=${postgres.url}`, '--database-rate=100/s'],
      { cwd: createTestFolder(), clock },
    );
    expect([exitCode, slept]).toEqual([0, (1000 * count) / 100]);
  },
);

/** How many users are read where its certificate is trusted, and what is said where it is not. */
async function readOverTls(
  source: string,
  flags: readonly string[],
  { certificate }: { readonly certificate: string },
  env: Readonly<Record<string, string>> = {},
) {
  const trusted = await migrate(source, flags, { env: { ...env, NODE_EXTRA_CA_CERTS: certificate } });
  const { exitCode, stderr } = await migrate(source, flags, { env });
  return [usersOf(trusted), exitCode ?? '', /its certificate is not trusted/.exec(stderr)?.[0]];
}
const refused = [1, 'its certificate is not trusted'];

it.skipIf(!has.postgres)('migrate --database reads PostgreSQL over TLS (needs PostgreSQL)', async () => {
  const address = `${postgres.url.replace('127.0.0.1', 'localhost')}?sslmode=verify-full`;
  expect(await readOverTls('laravel', [`--database=${address}`], postgres)).toEqual([count, ...refused]);
  const named = await migrate('laravel', [`--database=${address}&sslrootcert=${postgres.certificate}`]);
  expect([named.exitCode, usersOf(named)]).toEqual([0, count]);
});

for (const { title, start, isThere } of databases.slice(1))
  it.skipIf(!isThere)(`reads ${title} over TLS (needs ${title})`, async () => {
    const database = await start();
    onTestFinished(() => database.stop());
    database.sql(tables);
    database.sql(
      "create user far@127.0.0.1 identified by 'x' require ssl; grant all on app.* to far@127.0.0.1;",
    );
    const flags = [`--database=${database.url.replace('app@', 'far@')}?ssl=true`];
    expect(await readOverTls('laravel', flags, database, { MYSQL_PWD: 'x' })).toEqual([count, ...refused]);
  });

const outside = Object.values(networkInterfaces())
  .flat()
  .find((address) => address?.family === 'IPv4' && !address.internal)?.address;

it.skipIf(!has.slapd || outside === undefined)(
  'migrate --directory uses StartTLS for another machine (needs slapd and a network)',
  async () => {
    const entries = [
      'dn: dc=example,dc=org\nobjectClass: dcObject\nobjectClass: organization\ndc: example\no: x\n',
    ];
    for (let at = 0; at < 250; at++)
      entries.push(
        `dn: uid=ann${at},dc=example,dc=org\nobjectClass: inetOrgPerson\nuid: ann${at}\ncn: Ann\nsn: A\nmail: ann${at}@example.org\n`,
      );
    const directory = await startSlapd(entries.join('\n'), outside);
    onTestFinished(() => directory.stop());
    const flags = [
      `--directory=ldap://${outside}:${directory.port}/dc=example,dc=org`,
      '--bind-dn=cn=admin,dc=example,dc=org',
    ];
    const read = await readOverTls('openldap', flags, directory, { IDPORT_BIND_PASSWORD: 'admin' });
    expect(read).toEqual([251, ...refused]);
  },
);

it.skipIf(!has.postgres)('tells how to continue a stopped shard (needs PostgreSQL)', async () => {
  const workspace = await openWorkspace();
  const run = (flags: string, options: Partial<ProcessOptions> = {}) => {
    const source = `--from=laravel --database=${postgres.url} --org=${workspace.server.orgId}`;
    return workspace.runProcess(`import-users ${source} ${flags}`, options);
  };
  const first = '--shard=1/2 --journal=a.journal';
  const file = join(workspace.cwd, 'a.1-of-2.journal');
  await run(`${first} --rate=50/s`, { meanwhile: endAt({ signal: 'SIGKILL', file, bytes: 9000 }) });
  await succeeded(run('--shard=2/2 --journal=a.journal'));
  const { exitCode, stderr } = await run(`${first} --resume`);
  expect([exitCode, stderr.replaceAll(/\s+/g, ' ')]).toEqual([
    2,
    /a shard of a running system cannot be resumed.* --since-journal=<journal> for each/,
  ]);
  const since = '--since-journal=a.1-of-2.journal --since-journal=a.2-of-2.journal';
  await succeeded(run(`--journal=b.journal ${since}`));
  expect(new Set(workspace.humans()).size).toBe(count);
  expect(workspace.humans()).toHaveLength(count);
});
