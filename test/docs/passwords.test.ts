import { describe, expect, it, test } from 'vitest';
import { builtInProfiles } from '../../src/profiles/built-in.ts';
import { checkHash } from '../../src/profiles/check-hash.ts';

import { algorithmNames, verifierNames } from '../../src/records/mcf/algorithm.ts';
import { recognise } from '../../src/records/mcf/recognise.ts';
import { refusalSection } from '../../src/records/sections.ts';
import type { TargetProfile } from '../../src/wire/profile.ts';
import { readProject } from '../support/folder.ts';

const passwords = readProject('docs/passwords.md');
const profiles = readProject('docs/profiles.md');
const selfHosted = builtInProfiles.get('self-hosted');

function leaves(value: unknown, path: readonly string[] = []): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [path.join('.')];
  return Object.entries(value).flatMap(([key, inner]) => leaves(inner, [...path, key]));
}

describe('docs/passwords.md', () => {
  const table = passwords.slice(passwords.indexOf('| Algorithm |'), passwords.indexOf('At the first login'));

  it('has a row for every algorithm and every verifier', () => {
    const named = [...table.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
    expect(named).toEqual(expect.arrayContaining([...algorithmNames, ...verifierNames]));
  });

  it('quotes the real message for Argon2 of Keycloak', () => {
    const mcf = '$argon2id$v=19$m=7168,t=5,p=1$c2FsdHNhbHQ$a2V5a2V5';
    const verdict = checkHash(mcf, selfHosted as TargetProfile);
    const { detail: problem, remedy } = verdict.verdict === 'refused' ? verdict : { detail: '', remedy: '' };
    const { rows } = refusalSection([{ algorithm: 'argon2id', count: 1, problem, remedy }]);
    const lines = rows.map(({ text, remarks = [] }) => `${[text, ...remarks].join(' ')}\n`);
    expect(passwords).toContain(lines.join('').replaceAll(' ZITADEL', '\n  ZITADEL'));
  });

  const refused = {
    'password:algorithm-unsupported': [
      '$2$10$',
      '$2x$10$',
      '$argon2d$v=19$m=8192,t=1,p=1$c2FsdA$a2V5',
      '$argon2id$m=8192,t=1,p=1$c2FsdA$a2V5',
      '$7$DU..../....salt$hash',
      '$y$j9T$salt$hash',
      '$gy$j9T$salt$hash',
      '$apr1$salt$hash',
      '$md5$salt$hash',
      '$sha1$1$salt$hash',
      '$3$$hash',
      '{SSHA}hash',
      '$wp$2y$10$hash',
      'bcrypt_sha256$$2b$10$hash',
      'U$S$hash',
    ],
    'password:unverifiable': [
      ...[40, 56, 64, 96, 128].map((digits) => '0'.repeat(digits)),
      '$md5salted-prefix$salt$FrPK/PvbkP8jWTdTos+Opw',
      '$md5salted-prefix$sa lt$FrPK/PvbkP8jWTdTos+Opw==',
      '$md5salted-prefix$sa$lt$FrPK/PvbkP8jWTdTos+Opw==',
    ],
    'password:malformed': [
      '$pbkdf2-sha256$1000$_-_-$AAAA',
      '$pbkdf2-sha256$1000$////$+/+.',
      '$pbkdf2-sha256$1000$$AAAA',
      '$argon2id$v=19$t=1,m=8192,p=1$c2FsdA$a2V5',
    ],
  };
  test.each(Object.entries(refused).flatMap(([code, hashes]) => hashes.map((mcf) => [mcf, code])))(
    '%s is %s, as the table says',
    (mcf, code) => {
      expect(recognise(mcf)).toMatchObject({ code });
    },
  );
});

it('docs/profiles.md explains every field', () => {
  const { passwordHasher, name, ...others } = builtInProfiles.get('hosted') as TargetProfile;
  const { limits, ...hasher } = passwordHasher;
  const fields = leaves({ ...others, passwordHasher: { ...hasher, limits: 0 } });
  expect(name).toBe('hosted');
  expect(Object.keys(limits)).toHaveLength(7);
  for (const field of fields)
    expect(profiles).toContain(`\`${field.replace(/^rate\.ban\..*/, 'rate.ban')}\``);
});
