import { createHash, pbkdf2Sync } from 'node:crypto';
import { describe, expect, it, test } from 'vitest';
import { convertFiles } from '../support/conversion.ts';
import { openFolder, succeeded, textsOf } from '../support/workspace.ts';

/** A realm with one user, whose hash was made from a text. */
function writeRealm(hashed: string) {
  const folder = openFolder();
  const value = pbkdf2Sync(hashed, 'salt', 1000, 32, 'sha256').toString('base64');
  const credential = {
    type: 'password',
    secretData: JSON.stringify({ value, salt: Buffer.from('salt').toString('base64') }),
    credentialData: JSON.stringify({ hashIterations: 1000, algorithm: 'pbkdf2-sha256' }),
  };
  const ada = {
    id: '7',
    username: 'ada',
    email: 'ada@example.com',
    enabled: true,
    credentials: [credential],
  };
  folder.write('realm.json', { realm: 'r', users: [ada] });
  return folder;
}

const line = 'migrate keycloak --org=1 --realm=realm.json --prove Ada';

describe('migrate --prove', () => {
  it('exits 0 if the converted hash matches the password', async () => {
    const ran = await succeeded(writeRealm('Secret1').run(line, { stdin: 'Secret1\n' }));
    expect(textsOf(ran, 'password:proved')).toEqual([
      'ada (7): the password matches (pbkdf2-sha256, rounds 1000)',
    ]);
    expect(JSON.stringify(ran)).not.toContain('Secret1');
  });

  it('writes its result to the report and its page', async () => {
    const { run, read, json } = writeRealm('Secret1');
    await run(`${line} --report=r.html`, { stdin: 'Secret1\n' });
    expect(json('r.html.json')).toMatchObject({ notices: [{ code: 'password:proved' }] });
    expect(read('r.html')).toContain('ada (7): the password matches');
    await run(`${line} --report=r.html`, { stdin: 'another\n' });
    expect(read('r.html')).toMatch(/<b>Check<\/b>\s*migrate --prove: ada/);
  });

  it('exits 4 with the reason if the hash does not match', async () => {
    const hashed = createHash('sha256').update('Secret1').digest('hex');
    const { run, write } = writeRealm(hashed);
    write('password.txt', 'Secret1\n');
    const ran = await run(`${line} --prove-password=password.txt`);
    expect(ran.exitCode).toBe(4);
    // After the summary, which is long.
    expect(ran.events.at(-1)).toMatchObject({ code: 'password:not-proved' });
    expect(textsOf(ran, 'password:not-proved').join()).toMatch(
      /does not match .*\. The hash .*SHA-256 of the password.* In the mapping: prehash: hex\(sha256\(password\)\)$/,
    );
  });

  test.each([
    ['a body on standard output', '--output=-', /standard output cannot be read/],
    ['an empty password', '', /the password is empty/],
    ['a password on the command line', '--prove-password=hunter2', /can be seen by others/],
  ])('refuses %s before it converts anything', async (_, more, message) => {
    const ran = await writeRealm('x').run(`${line} ${more}`);
    expect(ran.exitCode).not.toBe(0);
    expect(ran.problem?.message).toMatch(message);
    expect(JSON.stringify(ran)).not.toContain('hunter2');
  });
});

const digest = (name: string, text: string) => createHash(name).update(text).digest('hex');

async function proveRow(row: Record<string, string>, map: string) {
  const columns = { id: '1', email: 'ada@example.com', ...row };
  const files = {
    'users.csv': `${Object.keys(columns).join()}\n${Object.values(columns).join()}\n`,
    'map.yaml': `idport: 1\nuser: { id: id, email: email }\npassword: ${map}\n`,
  };
  const argv = ['migrate', 'csv', '--org=1', '--users=users.csv', '--map=map.yaml', '--prove=1'];
  const ran = await convertFiles(argv, files, { stdin: 'Secret1' });
  expect(ran.exitCode).toBe(4);
  return textsOf(ran, 'password:not-proved').join();
}

it.each([
  [
    'a salt at the other end',
    { hash: digest('md5', 'Secret1pinch'), salt: 'pinch' },
    '{ digest: { of: md5(salt + password), key: { from: hash, encoding: hex }, salt: { from: salt } } }',
    /the salt comes after the password[^]*of: md5\(password \+ salt\)/,
  ],
  [
    'digits that do not say what they are',
    { hash: digest('sha1', 'Secret1pinch'), salt: 'pinch' },
    '{ from: hash, salt: salt, format: auto, pepper: none, prehash: none }',
    /SHA-1 of the password followed by the salt/,
  ],
  [
    'a form that no target can verify',
    { hash: `sha1$pinch$${digest('sha1', 'pinchSecret1')}` },
    '{ from: hash, format: django }',
    /The source knows the password: salted SHA-1 in the form of Django/,
  ],
])('migrate csv --prove explains the mismatch: %s', async (_, row, map, text) => {
  expect(await proveRow(row, map)).toMatch(text);
});
