import { createHash, createHmac } from 'node:crypto';
import { bcrypt } from 'hash-wasm';
import { expect, it, test } from 'vitest';
import { explainMismatch } from '../../../src/records/hash-forms/explain-mismatch.ts';
import { decodeMade, type VerifiedForm, verifiedForms } from '../../support/samples.ts';

const traps = verifiedForms().filter(({ naiveMcf }) => naiveMcf !== undefined);

/** Keyed with what the operator has, or nested with a salt that the hash string has not. */
const inexplicable =
  /secret UNKNOWN|config\.pepper|passwordpeppers|flask-security|U\$S\$|vbulletin 3\/4|django sha1/;

const never = () => false;

function explain({ naiveMcf = '', password }: VerifiedForm) {
  const stored = naiveMcf.startsWith('$') ? { mcf: naiveMcf } : { parts: { hash: naiveMcf } };
  return explainMismatch(stored, password ?? '', never);
}

test.each(traps.filter(({ title }) => !inexplicable.test(title)))(
  'explainMismatch explains the hash $title',
  async (row) => {
    expect(await explain(row)).toMatchObject({ text: expect.any(String) });
  },
);

const digest = (name: string, text: string | Buffer, as: 'hex' | 'base64' = 'hex') =>
  createHash(name).update(text).digest(as);

test.each([
  [
    { hash: digest('md5', 'saltSécret1'), salt: 'salt' },
    /MD5 of the salt followed by the password/,
    'md5(salt + password)',
  ],
  [
    { hash: digest('md5', 'Sécret1:salt', 'base64'), salt: 'salt' },
    /the password, `:` and the salt/,
    'md5(password + ":" + salt)',
    'base64',
  ],
  [
    { hash: digest('sha1', Buffer.from('saltSécret1', 'latin1')), salt: 'salt' },
    /the password in Latin-1/,
    'sha1(salt + latin1(password))',
  ],
  [
    { hash: digest('md5', `${digest('md5', 'Sécret1')}salt`), salt: 'salt' },
    /digits of MD5 of the password followed by the salt/,
    'md5(hex(md5(password)) + salt)',
  ],
  [
    { hash: createHmac('sha256', 'salt').update('Sécret1').digest('hex'), salt: 'salt' },
    /HMAC with the salt/,
    'hmac-sha256(salt, password)',
  ],
])('explainMismatch explains the stored text %o', async (parts, text, formula, encoding = 'hex') => {
  expect(await explainMismatch({ parts }, 'Sécret1', never)).toMatchObject({
    text,
    mapping: `digest: { of: '${formula}', key: { encoding: ${encoding} } }`,
  });
  expect(await explainMismatch({ parts }, 'Secret2', never)).toBeUndefined();
});

it('explainMismatch tries the form of the source first', async () => {
  const hash = `sha1$salt$${digest('sha1', 'saltSecret1')}`;
  const decoded = decodeMade('django', { hash });
  expect(await explainMismatch({ decoded, parts: { hash } }, 'Secret1', never)).toMatchObject({
    text: 'The source knows the password: salted SHA-1 in the form of Django.',
  });
});

it('explainMismatch explains a hash of a password in Latin-1, and stops when its time is over', async () => {
  const mcf = await bcrypt({
    password: Buffer.from('é', 'latin1'),
    salt: Buffer.alloc(16, 1),
    costFactor: 4,
    outputType: 'encoded',
  });
  expect(await explainMismatch({ mcf }, 'é', never)).toMatchObject({ text: /Latin-1/ });
  let asked = 0;
  expect(await explainMismatch({ mcf }, 'Secret1', () => ++asked > 3)).toBe('unfinished');
});
