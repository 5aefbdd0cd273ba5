/**
 * Users change while passes run and are killed: after the last pass the service has what the source has. The tables are those of a
 * Keycloak, as far as they are read; IDPORT_FOLLOW_USERS says how many users there are.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { openWorkspace } from '../../support/workspace.ts';
import { endAt, type ProcessResult } from '../../support/process.ts';
import { has, startPostgres } from '../../support/live-programs.ts';
import { seededRandom } from '../../support/seeded-random.ts';

const count = Number(process.env['IDPORT_FOLLOW_USERS'] ?? 300);
const passes = 4;

/** A column without a type is a text. */
const tables = `migration_model version update_time:int
realm id name
user_entity id username first_name last_name email email_verified:bool enabled:bool created_timestamp:bigint federation_link service_account_client_link realm_id
user_attribute id user_id name value long_value
credential id user_id type user_label created_date:bigint secret_data credential_data salt:bytea priority:int
user_required_action user_id required_action
federated_identity user_id identity_provider federated_user_id federated_username
user_role_mapping user_id role_id
keycloak_role id name description client realm_id
composite_role composite child_role
user_group_membership user_id group_id
keycloak_group id name parent_group realm_id
group_role_mapping group_id role_id
client id client_id name root_url base_url management_url enabled:bool protocol client_authenticator_type public_client:bool bearer_only:bool consent_required:bool standard_flow_enabled:bool implicit_flow_enabled:bool direct_access_grants_enabled:bool service_accounts_enabled:bool full_scope_allowed:bool not_before:int realm_id
redirect_uris client_id value
web_origins client_id value
client_attributes client_id name value
protocol_mapper id client_id name
client_auth_flow_bindings client_id binding_name flow_id
client_scope_client client_id scope_id default_scope:bool
client_scope id name
resource_server id
identity_provider internal_id provider_alias provider_display_name provider_id enabled:bool trust_email:bool link_only:bool realm_id
identity_provider_config identity_provider_id name value
federated_user id realm_id
user_consent id user_id`;

const create = tables
  .split('\n')
  .map((line) => {
    const [name, ...columns] = line.split(' ');
    const typed = columns.map((column) =>
      column.includes(':') ? column.replace(':', ' ') : `${column} text`,
    );
    const indexed = columns.filter((column) => /(?:^|_)id$/.test(column));
    const indexes = indexed.map((column) => `create index on ${name} (${column});`);
    return `create table ${name} (${typed.join(', ')}); ${indexes.join(' ')}`;
  })
  .join('\n');

const id = (at: string) => `md5('u' || ${at})::uuid::text`;
const newSecret = `json_build_object('value', translate(encode(sha256(random()::text::bytea) || sha256(random()::text::bytea), 'base64'), E'\\n', ''), 'salt', encode(sha256(random()::text::bytea), 'base64'))::text`;
const addUsers = (from: number, to: number) =>
  `insert into user_entity select ${id('n')}, 'user' || n, 'First', 'Last ' || n, 'user' || n || '@example.org', true, n % 9 <> 0, 1700000000000, null, null, 'r' from generate_series(${from}, ${to}) n;
  insert into credential select 'c' || n, ${id('n')}, 'password', null, 1700000000000, ${newSecret}, '{"hashIterations":27500,"algorithm":"pbkdf2-sha256"}', null, 10 from generate_series(${from}, ${to}) n;`;
const fill = `insert into migration_model values ('24.0.5', 1); insert into realm values ('r', 'orchard'); ${addUsers(1, count)}`;

it.skipIf(!has.postgres)(
  `${count} users who change while passes are killed arrive as they are in the end (needs PostgreSQL)`,
  async () => {
    const workspace = await openWorkspace();
    const database = await startPostgres();
    const db = new Client({ connectionString: database.url });
    await db.connect();
    const over = new AbortController();
    onTestFinished(async () => {
      over.abort();
      await db.end();
      await database.stop();
    });
    await db.query(`${create} ${fill}`);

    const random = seededRandom(7);
    const below = (end: number) => Math.floor(random() * end);
    let newest = count;
    const changes: readonly ((user: string) => string)[] = [
      () => addUsers(++newest, newest),
      (user) => `update credential set secret_data = ${newSecret} where user_id = ${user}`,
      (user) => `update user_entity set email = 'm${below(1e9)}@example.org' where id = ${user}`,
      (user) => `update user_entity set enabled = not enabled where id = ${user}`,
      (user) => `update user_entity set last_name = 'Named ${below(1e9)}' where id = ${user}`,
      (user) =>
        `delete from credential where user_id = ${user}; delete from user_entity where id = ${user} and ${below(4)} = 0`,
    ];
    const changing = (async () => {
      while (!over.signal.aborted) {
        await db.query(changes[below(changes.length)]!(id(String(1 + below(newest)))));
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    })();

    const secret = 'hunter2-of-the-database';
    const env = { IDPORT_DATABASE: database.url.replace('postgres@', `postgres:${secret}@`) };
    const shown: string[] = [];
    const run = async (line: string, kill?: Parameters<typeof endAt>[0]) => {
      const ran = await workspace.runProcess(`${line} --from=keycloak`, {
        env,
        ...(kill && { meanwhile: endAt(kill) }),
      });
      shown.push(ran.stdout, ran.stderr);
      return ran;
    };
    const expectDone = ({ exitCode, stdout, stderr }: ProcessResult) =>
      expect([exitCode, exitCode === 0 ? '' : stdout + stderr]).toEqual([0, '']);
    const target = `--org=${workspace.server.orgId} --target-profile=all-verifiers --json`;
    expectDone(await run('inspect --format=json'));
    expectDone(await run(`check ${target}`));
    let kills = 0;
    for (let pass = 1; pass <= passes; pass++) {
      if (pass === passes) {
        over.abort();
        await changing;
      }
      const since = Array.from({ length: pass - 1 }, (_, at) => ` --since-journal=${at + 1}.journal`).join(
        '',
      );
      const own = `--journal=${pass}.journal --report=${pass}.json --mute-password-emails`;
      const line = `import-users ${target} ${own}${since}${pass === 1 ? '' : ' --deleted=delete'}`;
      const file = join(workspace.cwd, `${pass}.journal`);
      const bytes = pass === 1 ? below(100 * count) : below(3000);
      let ran = await run(line, pass === passes ? undefined : { signal: 'SIGKILL', file, bytes });
      for (let again = 0; ran.exitCode === null; again++) {
        kills++;
        const moment = { signal: 'SIGKILL', after: 800 + below(2000) } as const;
        ran = await run(`${line} --resume`, again === 0 ? moment : undefined);
      }
      expectDone(ran);
    }
    expect(kills).toBeGreaterThan(0);

    expectDone(await run(`verify ${target}`));
    const rows = database.sql("select id || ' ' || username from user_entity").trim().split('\n');
    const there = [...workspace.server.state.store.users.values()].filter(({ kind }) => kind === 'human');
    expect(there.map((user) => `${user.id} ${user.userName}`).toSorted()).toEqual(rows.toSorted());
    const files = readdirSync(workspace.cwd).map((name) => workspace.read(name));
    expect([...shown, ...files].filter((text) => text.includes(secret))).toEqual([]);
  },
  300_000 + 50 * count,
);
