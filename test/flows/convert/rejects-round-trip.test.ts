/** A rejects file is read back by programs: every line is the record as it was, and converting it gives the same file. */
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { keepDigits } from '../../../src/lib/json-value.ts';
import { encodeRejected, rejectedKey } from '../../../src/records/user.ts';
import { convertFiles, convertRealm, keycloakUser, realmOf } from '../../support/conversion.ts';

const text = fc.string({ unit: 'binary', maxLength: 12 });
const value = fc
  .jsonValue({ stringUnit: 'binary', maxDepth: 3 })
  // Integers that JSON.parse rounds come back as texts.
  .filter((one) => keepDigits(JSON.stringify(one)) === JSON.stringify(one));
const record = fc.dictionary(text, value, { maxKeys: 6 });

/** Without the one key that is added, in the order of the line. */
function recordOf(line: string) {
  const { [rejectedKey]: _, ...rest } = JSON.parse(line) as Record<string, unknown>;
  return JSON.stringify(rest);
}

it('encodeRejected keeps each record and the order of its keys', () => {
  const reason = {
    code: 'user-skipped:no-email',
    detail: 'd',
    origin: { input: 'i', index: 1, id: '' },
  } as const;
  fc.assert(
    fc.property(record, text, (raw, detail) => {
      const line = encodeRejected({ ...reason, detail }, raw);
      expect(line).not.toMatch(/[\n\r]/);
      expect(recordOf(line)).toBe(JSON.stringify(raw));
      // Once more, as after a second conversion.
      expect(encodeRejected({ ...reason, detail }, JSON.parse(encodeRejected(reason, raw)))).toBe(line);
    }),
  );
});

it.each([[null], [[1, 2]]])('encodeRejected wraps %j, which cannot carry a key', (raw) => {
  const reason = { code: 'record:not-an-object', detail: 'd' } as const;
  const line = encodeRejected({ ...reason, origin: { input: 'i', index: 1, id: '' } }, raw);
  expect(JSON.parse(line)).toEqual({ [rejectedKey]: { ...reason, input: 'i', index: 1, raw } });
});

it('--rejects writes an id that JSON.parse would round with all digits as a string', async () => {
  const exported =
    '{"realm":"r","users":[{"id":9007199254740993,"username":"ann","email":"a@b.ch","n":1.5}]}';
  const first = await convertRealm(exported, '--rejects=rejects.ndjson');
  expect(JSON.parse(first.read('rejects.ndjson'))).toMatchObject({ id: '9007199254740993', n: 1.5 });
  const second = await convertRealm(first.read('rejects.ndjson'));
  expect(second.read('importBody.json')).toContain('"userId":"9007199254740993"');
});

it('a fixed rejects file brings in exactly the rejected users', async () => {
  const users = [
    keycloakUser('mia'),
    keycloakUser('nomail', { email: '' }),
    keycloakUser('MIA', { id: 'other' }),
  ];
  const first = await convertRealm(realmOf(...users), '--rejects=rejects.ndjson');
  expect(first).toMatchObject({ exitCode: 3, names: ['mia'] });
  const fixed = first
    .read('rejects.ndjson')
    .trimEnd()
    .split('\n')
    .map((line) => {
      const { username, ...record } = JSON.parse(line) as Record<string, unknown>;
      expect(record[rejectedKey]).toMatchObject({ input: 'realm.json' });
      return JSON.stringify({ ...record, email: 'fixed@example.org', username: `${String(username)}.2` });
    });
  const argv = ['migrate', 'keycloak', '--org=1', '--realm=fixed.ndjson', '--metadata=all'];
  const second = await convertFiles(argv, { 'fixed.ndjson': fixed.join('\n') });
  expect(second).toMatchObject({ problem: undefined, exitCode: 0, names: ['nomail.2', 'MIA.2'] });
  expect(second.read('importBody.json')).not.toContain(rejectedKey);
});

it('--rejects includes values of joined tables, and a fix there overrides the table', async () => {
  const map = `idport: 1
source: { format: csv, encoding: latin1 }
tables:
  tokens: { key: u, pivot: { name: kind, value: value } }
  logins: { key: u, many: true }
  claims: { key: u, pivot: { name: kind, value: value } }
user:
  id: id
  email: email
  fullName: name
  otp: { from: tokens.key }
  links: { each: logins, alias: kind, externalUserId: sub }
password: { none: there are none }
`;
  const files = {
    'map.yaml': map,
    'users.csv': 'id,email,name\n1,,Ada Lovelace\n',
    'tokens.csv': 'u,kind,value\n1,key,JBSWY3DPEHPK3PXP\n',
    'logins.csv': 'u,kind,sub\n1,google,g1\n',
    'claims.csv': 'u,kind,value\n1,company,acme\n',
    'orgs.csv': 'key,id\nacme,11\n',
  };
  const tables = ['tokens', 'logins', 'claims'].map((name) => `--table=${name}=${name}.csv`);
  const flags = ['--org=1', '--map=map.yaml', '--idp=google=77', '--org-by=attribute:company'];
  const argv = ['migrate', 'csv', ...flags, '--org-map=orgs.csv'];
  const first = await convertFiles([...argv, '--users=users.csv', ...tables, '--rejects=r.ndjson'], files);
  expect(first.exitCode).toBe(3);
  const fixed = first
    .read('r.ndjson')
    .replace('"email":""', '"email":"a@example.org"')
    .replace('JBSWY3DPEHPK3PXP', 'ABCDEFGH')
    .replace('Ada', 'Zoë');
  // Whether its command names the tables again or not.
  for (const again of [tables, []]) {
    const second = await convertFiles([...argv, '--users=fixed', ...again], { ...files, fixed });
    expect(second.orgs).toMatchObject([
      {
        orgId: '11',
        humanUsers: [
          {
            user: {
              profile: { firstName: 'Zoë' },
              otpCode: 'ABCDEFGH',
              idps: [{ externalUserId: 'g1' }],
            },
          },
        ],
      },
    ]);
    expect(second.notices).not.toContain('map:no-rows');
  }
});
