/** A table with a mapping, one by one: the run resumes, and the journal has no secret of the source. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createTestFolder } from '../support/folder.ts';
import { startInstance } from '../support/instance.ts';
import { runProgram } from '../support/program.ts';

const mapping = `idport: 1
user: { id: id, email: email, emailVerified: VERIFIED }
password:
  pbkdf2: { digest: sha256, rounds: 1000, salt: { from: salt, encoding: text }, key: { from: hash, encoding: hex }, salted: salt + secret }
  secret: { file: cookie.key }
`;

it('a run with a mapping and a secret file resumes', async () => {
  const cwd = createTestFolder();
  const instance = await startInstance(cwd, 'target', { orgId: '100' });
  const rows = [1, 2, 3].map((number) => `${number},user-${number}@acme.example,salt,${'ab'.repeat(32)}\n`);
  writeFileSync(join(cwd, 'users.csv'), `id,email,salt,hash\n${rows.join('')}`);
  writeFileSync(join(cwd, 'map.yaml'), mapping.replace('VERIFIED', 'true'));
  writeFileSync(join(cwd, 'cookie.key'), 'the-salt-secret\n');
  const source = ['--from', 'csv', '--users', 'users.csv', '--map', 'map.yaml', '--journal', 'x.journal'];
  const argv = ['import-users', ...source, ...instance.flags, '--org', '100', '--on-refused-hash', 'keep'];
  expect((await runProgram(argv, { cwd })).exitCode).toBe(0);
  const whole = readFileSync(join(cwd, 'x.journal'), 'utf8');
  expect(whole).toContain('cookie.key');
  expect(whole).not.toMatch(/the-salt-secret|secrets/);
  // As after a kill: the journal breaks off within the second user.
  const lines = whole.split('\n');
  writeFileSync(join(cwd, 'x.journal'), lines.slice(0, 2).join('\n').concat('\n', lines[2]!.slice(0, 5)));
  const { exitCode } = await runProgram([...argv, '--resume'], { cwd });
  expect(exitCode).toBe(0);
  const created = [...instance.server.state.store.users.values()].filter(({ userName }) =>
    userName.startsWith('user-'),
  );
  expect(created).toHaveLength(3);

  writeFileSync(join(cwd, 'map.yaml'), mapping.replace('VERIFIED', 'true, nickName: email'));
  const other = await runProgram([...argv, '--resume'], { cwd });
  expect(other.problem?.message).toMatch(/is the journal of another run: mapping has changed$/);
  await instance.close();
});

it('a run whose organizations, members or phone rule have changed is not resumed', async () => {
  const cwd = createTestFolder();
  const instance = await startInstance(cwd, 'target', { orgId: '100' });
  const write = (name: string, content: string): void => writeFileSync(join(cwd, name), content);
  write('map.yaml', 'idport: 1\nuser: { id: id, email: email, emailVerified: true }\n');
  write('users.csv', 'id,email\n1,ada@acme.example\n2,ben@acme.example\n3,cy@acme.example\n');
  const members = 'user_id,organization_id\n1,acme\n2,globex\n3,acme\n';
  write('members.csv', members);
  write('orgs.csv', 'key,id\nglobex,100\n');
  const source = ['--from=csv', '--users=users.csv', '--map=map.yaml', '--org=100', '--journal=x.journal'];
  const orgs = ['--org-by=organization', '--memberships=members.csv', '--org-map=orgs.csv', '--create-orgs'];
  const argv = ['import-users', ...source, ...orgs, ...instance.flags, '--max-emails=9'];
  expect((await runProgram(argv, { cwd })).exitCode).toBe(0);
  const resume = (...more: string[]) => runProgram([...argv, '--resume', ...more], { cwd });
  expect((await resume()).exitCode).toBe(0);
  const { problem: ofPhone } = await resume('--phone=drop');
  expect(ofPhone?.message).toMatch(/phone was keep and is drop now$/);
  const { problem: ofEmail } = await resume('--send-verification');
  expect(ofEmail?.message).toMatch(/send-verification was not set and is yes now$/);
  write('members.csv', members.replace('3,acme', '3,globex'));
  expect((await resume()).problem?.message).toMatch(/memberships has changed$/);
  write('members.csv', members);
  write('orgs.csv', 'key,id\nglobex,100\nother,100\n');
  expect((await resume()).problem?.message).toMatch(/org-map was .* is .* now$/);
  await instance.close();
});
