import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { bcrypt } from 'hash-wasm';
import { describe, expect, it, test } from 'vitest';
import { verifyPassword } from '../../../src/records/mcf/verify.ts';
import { readMapping } from '../../../src/sources/table/mapping/read.ts';
import { rejections, runTable } from '../../support/table-run.ts';

const folder = new URL('../../../src/sources/table/maps/', import.meta.url);
const read = (name: string): string => readFileSync(new URL(`${name}.yaml`, folder), 'utf8');
const names = readdirSync(folder).map((file) => file.replace('.yaml', ''));

test.each(names)('the mapping %s is one, and names itself', async (name) => {
  const mapping = await readMapping(read(name), `${name}.yaml`);
  expect(mapping).toMatchObject({ idport: 1, name, source: { columns: 'optional' } });
  expect(mapping.title).toMatch(/./);
  expect(mapping.about?.export?.length).toBeGreaterThan(0);
});

const password = 'Secret1!';
const mcf = await bcrypt({
  password,
  salt: Buffer.alloc(16, 7),
  costFactor: 10,
  outputType: 'encoded',
});

interface Row {
  readonly [column: string]: unknown;
}

/** A row of each source that has no sample of its own, as the source writes it. */
const rows: Readonly<Record<string, Row>> = {
  adonis: {
    id: 1,
    email: 'ada@example.com',
    full_name: 'Ada Lovelace',
    password: mcf,
    email_verified_at: '2026-01-01',
  },
  authentik: {
    uuid: 'u1',
    username: 'ada@example.com',
    name: 'Ada Lovelace',
    email: 'ada@example.com',
    is_active: true,
    type: 'internal',
    password: `bcrypt$${mcf}`,
  },
  descope: {
    userId: 'U1',
    loginIds: ['ada@example.com'],
    email: 'ada@example.com',
    verifiedEmail: true,
    name: 'Ada Lovelace',
    status: 'enabled',
  },
  drupal: {
    uid: 2,
    name: 'ada@example.com',
    pass: mcf,
    mail: 'ada@example.com',
    status: 1,
    default_langcode: 1,
    preferred_langcode: 'de',
  },
  'flask-security': {
    id: 1,
    email: 'ada@example.com',
    password: mcf,
    active: true,
    confirmed_at: '2026-01-01',
  },
  gitlab: {
    id: 1,
    username: 'ada@example.com',
    name: 'Ada Lovelace',
    email: 'ada@example.com',
    encrypted_password: mcf,
    confirmed_at: '2026-01-01',
    state: 'active',
    user_type: 0,
  },
  'google-workspace': {
    id: '1',
    primaryEmail: 'ada@example.com',
    name: { givenName: 'Ada', familyName: 'Lovelace' },
    suspended: false,
  },
  joomla: {
    id: 1,
    name: 'Ada Lovelace',
    username: 'ada@example.com',
    email: 'ada@example.com',
    password: `${createHash('md5').update(`${password}pinch`).digest('hex')}:pinch`,
    block: 0,
    activation: '',
  },
  lucia: {
    id: 'l1',
    username: 'ada@example.com',
    email: 'ada@example.com',
    email_verified: true,
    hashed_password: mcf,
  },
  magento: {
    entity_id: 1,
    email: 'ada@example.com',
    firstname: 'Ada',
    lastname: 'Lovelace',
    password_hash: `${createHash('md5').update(`ab${password}`).digest('hex')}:ab`,
    is_active: 1,
    confirmation: null,
  },
  moodle: {
    id: 3,
    username: 'ada@example.com',
    password: mcf,
    firstname: 'Ada',
    lastname: 'Lovelace',
    email: 'ada@example.com',
    confirmed: 1,
    deleted: 0,
    suspended: 0,
    lang: 'de_du',
  },
  onelogin: {
    id: 1,
    username: null,
    email: 'ada@example.com',
    firstname: 'Ada',
    lastname: 'Lovelace',
    status: 1,
    state: 1,
  },
  parse: {
    _id: 'p1',
    username: 'ada@example.com',
    email: 'ada@example.com',
    emailVerified: true,
    _hashed_password: mcf,
  },
  phoenix: { id: 1, email: 'ada@example.com', hashed_password: mcf, confirmed_at: '2026-01-01' },
  phpbb: {
    user_id: 2,
    user_type: 0,
    username: 'ada@example.com',
    user_password: mcf,
    user_email: 'ada@example.com',
    user_lang: 'en',
  },
  pocketbase: { id: 'pb1', email: 'ada@example.com', name: 'Ada Lovelace', verified: 1, password: mcf },
  propelauth: {
    user_id: 'u1',
    email: 'ada@example.com',
    email_confirmed: true,
    first_name: 'Ada',
    last_name: 'Lovelace',
    enabled: true,
    locked: false,
  },
  strapi: {
    id: 1,
    username: 'ada@example.com',
    email: 'ada@example.com',
    password: mcf,
    confirmed: true,
    blocked: false,
  },
  symfony: { id: 1, email: 'ada@example.com', password: mcf, is_verified: true, roles: '["ROLE_USER"]' },
  werkzeug: { id: 1, email: 'ada@example.com', name: 'Ada Lovelace', password_hash: mcf },
};

/** Sources that give no hashes out, or whose hashes no target can verify. */
const without = new Set(['descope', 'flask-security', 'google-workspace', 'onelogin', 'propelauth']);

describe.each(Object.entries(rows))('the mapping %s', (name, row) => {
  it('carries the user and a password that logs in, or says why there is none', async () => {
    const result = await runTable({
      provider: 'json',
      users: JSON.stringify([row]),
      map: read(name),
      flags: { idp: ['google=1'], report: 'report.json' },
    });
    expect(rejections(result)).toEqual([]);
    expect(result.users).toHaveLength(1);
    expect(result.users[0]?.user).toMatchObject({
      userName: 'ada@example.com',
      email: { email: 'ada@example.com' },
    });
    const hash = result.hashes['ada@example.com'];
    expect(hash === undefined).toBe(without.has(name));
    expect(hash === undefined || (await verifyPassword(hash, password))).toBe(true);
    expect(result.notices).not.toContain('map:unknown-column');
  });
});
