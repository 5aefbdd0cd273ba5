import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { samplePath } from '../../support/samples.ts';
import { runProgram } from '../../support/program.ts';
import { createTestFolder } from '../../support/folder.ts';

const sample = (name: string): string | undefined => samplePath(`auth0/${name}`);
const peer = ['peer-zt-users.ndjson', 'peer-zt-passwords.ndjson', 'peer-zt-referenceOutput.json'].map(sample);
const clerk = sample('clerk-tool-auth0-users-array.json');

interface Body {
  readonly dataOrgs: {
    readonly orgs: readonly { readonly humanUsers: readonly { user: Record<string, any> }[] }[];
  };
}

const sampleUsers = (body: Body): readonly { user: Record<string, any> }[] =>
  body.dataOrgs.orgs.flatMap(({ humanUsers }) => humanUsers);

it.skipIf(peer.includes(undefined))(
  'the sample of the well-known converter gives the same body, with --email-verified (needs the samples)',
  async () => {
    const cwd = createTestFolder();
    const [users = '', passwords = '', reference = ''] = peer;
    const argv = ['migrate', 'auth0', '--org=123', `--users=${users}`, `--passwords=${passwords}`];
    expect((await runProgram([...argv, '--email-verified'], { cwd })).exitCode).toBe(0);
    const read = (path: string): Body => JSON.parse(readFileSync(path, 'utf8')) as Body;
    const body = read(join(cwd, 'importBody.json'));
    expect(body).toEqual(read(reference));

    await runProgram(argv, { cwd });
    const verified = sampleUsers(read(join(cwd, 'importBody.json'))).map(
      ({ user }) => user['email'].isEmailVerified ?? false,
    );
    expect(verified).toEqual([true, false, false, true, true]);
  },
);

it.skipIf(clerk === undefined)(
  'a list with null in many fields loses no user (needs the samples)',
  async () => {
    const cwd = createTestFolder();
    const { exitCode } = await runProgram(
      ['migrate', 'auth0', '--org=1', `--users=${clerk}`, '--metadata=all'],
      { cwd },
    );
    expect(exitCode).toBe(0);
    const body = JSON.parse(readFileSync(join(cwd, 'importBody.json'), 'utf8')) as Body;
    expect(sampleUsers(body)).toHaveLength(30);
    expect(JSON.stringify(body)).not.toContain('null');
  },
);

const apostrophes = sample('users-csv-apostrophes.csv');

it.skipIf(apostrophes === undefined)(
  'a table with an apostrophe before each text has plain ids and addresses (needs the samples)',
  async () => {
    const cwd = createTestFolder();
    await runProgram(['migrate', 'auth0', '--org=1', `--users=${apostrophes}`], { cwd });
    const body = JSON.parse(readFileSync(join(cwd, 'importBody.json'), 'utf8')) as Body;
    expect(sampleUsers(body).map(({ user }) => user['email'].email)).toEqual([
      'u1@example.com',
      'u2@example.com',
    ]);
    expect(JSON.stringify(body)).not.toContain("'");
  },
);
