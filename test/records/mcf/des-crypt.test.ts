import { expect, it } from 'vitest';
import { decodeHash } from '../../../src/records/hash-forms/decode.ts';
import { hashDecoders } from '../../../src/records/hash-forms/decoders.ts';
import { verifyDecoded } from '../../../src/records/hash-forms/verify-form.ts';
import { desCryptChecksum } from '../../../src/records/mcf/des-crypt.ts';

// Made by crypt(3) of glibc 2.36.
it.each([
  ['S3cr3t!', '4EcoGgK.AfQpc'],
  ['password', 'abJnggxhB/yWI'],
  ['pässwörd', './vYBXr45rAoM'],
  ['', 'zz6dpSdr.LHZw'],
  ['longer than eight', '9ZNL7ZYMVXFQo'],
])('desCryptChecksum matches crypt(3): %s', (password, hash) => {
  expect(desCryptChecksum(Buffer.from(password), hash.slice(0, 2))).toBe(hash.slice(2));
});

it('a {CRYPT} hash of LDAP is checked at a login', async () => {
  const decoded = decodeHash(hashDecoders.get('ldap')!, { hash: '{CRYPT}4EcoGgK.AfQpc' });
  expect(decoded).toMatchObject({ code: 'password:algorithm-unsupported' });
  expect(await verifyDecoded(decoded, 'S3cr3t!')).toBe(true);
  expect(await verifyDecoded(decoded, 's3cr3t!')).toBe(false);
});
