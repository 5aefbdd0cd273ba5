/** Converts files in a folder of their own, and gives what was said, written and counted. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DataOrg } from '../../src/wire/import.ts';
import { openFolder, codesOf, type RunOptions } from './workspace.ts';

export type BodyOrg = Partial<DataOrg>;

export type Converted = Awaited<ReturnType<typeof convertFiles>>;

/** Texts and bytes are written as they are, anything else as JSON. The body is `importBody.json`. */
export async function convertFiles(
  argv: readonly string[],
  files: object = {},
  options: Partial<RunOptions> = {},
) {
  const { cwd, write, read, json, run } = openFolder(options.cwd);
  for (const [name, content] of Object.entries(files)) write(name, content);
  const ran = await run(argv, options);
  const body =
    argv.find((arg) => arg.startsWith('--output='))?.slice('--output='.length) ?? 'importBody.json';
  const orgs: readonly BodyOrg[] = existsSync(join(cwd, body)) ? (json(body).dataOrgs?.orgs ?? []) : [];
  const users = orgs.flatMap(({ humanUsers = [] }) => humanUsers);
  const tally = ran.events.find((event) => event.type === 'run:end')?.tally;
  return {
    ...ran,
    cwd,
    read,
    json,
    /** Of the body; none where none was written. */
    orgs,
    users,
    names: users.map(({ user }) => user.userName),
    ids: users.map(({ userId }) => userId),
    /** Codes of what was said of the run, without the one that names the profile. */
    notices: codesOf(ran).filter((code) => code !== 'profile:chosen'),
    tally,
    /** Users by reason code. */
    reasons: Object.fromEntries(tally?.reasons ?? []),
  };
}

/** Converts a realm, or the text of one. */
export const convertRealm = (realm: unknown, ...flags: readonly string[]) =>
  convertFiles(['migrate', 'keycloak', '--org=1', '--realm=realm.json', ...flags], { 'realm.json': realm });

export const realmOf = (...users: readonly unknown[]) => ({
  realm: 'r',
  users,
});

/** As Keycloak exports a user. */
export const keycloakUser = (username: string, more: object = {}): object => ({
  id: `id-${username}`,
  username,
  email: `${username}@example.org`,
  emailVerified: true,
  enabled: true,
  firstName: 'A',
  lastName: 'B',
  ...more,
});
