import { describe, expect, it, test } from 'vitest';
import { algorithmNames, isProblem } from '../../../src/records/mcf/algorithm.ts';
import { recognise, verifyPassword } from '../../../src/records/mcf/recognise.ts';
import { verifiedHashes } from '../../support/samples.ts';

/** Made with other programs: Python's hashlib, OpenSSL, Go's x/crypto. */
const vectors: readonly (readonly [mcf: string, password: string])[] = [
  ['$argon2i$v=19$m=8192,t=2,p=2$c2FsdCBvZiBieXRlcw$mpyVlK2x7dbbBOdrJNrMCJyFfCdFYd8SBWsit09Nk1I', 'Grüezi'],
  ['$argon2id$v=19$m=8192,t=1,p=1$c2FsdCBvZiBieXRlcw$+7z0zxl8uJOxeNCelR0v3VQ9f8JuwNHHG/hyKOvZrDk', 'Grüezi'],
  ['$2a$10$7.SPAndytBn/TRJTnRdm2Ojm7wkNVr07juTKxuNGSH/gAMBJq02Ai', 'Grüezi'],
  ['$2b$10$asgp5veBJf0u9x2MZdV7E.tldgXIzal3u9nPlJ/xqMVhrWf6B5jEe', ''],
  ['$2y$10$.AmEVFyho1YgMi9nghbF2e.r1vsKaJCNfPPvHGENaScgryhh8uyT6', 'x'.repeat(72)],
  ['$S$8saltsaltg2TkF1Fco6sseR2LblAkhPBNdtTEocAnctcnXCnVsml', 'Grüezi'],
  ['9ae6bc9c7c900ef5666010a6ac654d9f', 'Grüezi'],
  ['9AE6BC9C7C900EF5666010A6AC654D9F', 'Grüezi'],
  ['$1$12345678$3doxsehN.zZY.93ezayFV.', 'Grüezi'],
  ['$md5salted-prefix$sälz$uZ+CeeLtwf6Kp9Ge1tMFsg==', 'Grüezi'],
  ['$md5salted-suffix$sälz$M80tr33G9q011kfmRmxIRw==', 'Grüezi'],
  ['$pbkdf2$1000$c2FsdCBvZiBieXRlcyD/$7DK0SsoF6Hcxev0RH1DgYV7qpzQebgK88b/Ft19B/nE=', 'Grüezi'],
  ['$pbkdf2-sha224$1000$c2FsdCBvZiBieXRlcyD/$+5VX0cQrFZp1tFHYaAcP7i//EYKLp5u66npkQvzdV+M=', 'Grüezi'],
  ['$pbkdf2-sha224$1000$c2FsdCBvZiBieXRlcyD/$.5VX0cQrFZp1tFHYaAcP7i//EYKLp5u66npkQvzdV.M', 'Grüezi'],
  ['$pbkdf2-sha256$1000$c2FsdCBvZiBieXRlcyD/$h7VAVqlhOfyZoTiV2S/+gf3tDvsg4UQCTA7slHPOFlI=', 'Grüezi'],
  ['$pbkdf2-sha384$1000$c2FsdCBvZiBieXRlcyD/$PQlyKTHTJ4PrYAs6LX4t3fPn7vYs1xyNlogMz5eq93Y', 'Grüezi'],
  ['$pbkdf2-sha512$1000$c2FsdCBvZiBieXRlcyD/$G61sSl8sYgMi6ka6qLSTVkO5UCxoa0KC53gw7E6R6Xs=', 'Grüezi'],
  ['$P$9saltsalthTzFk6ZqDRg9a6JpJh1Bh0', 'Grüezi'],
  ['$H$9saltsalthTzFk6ZqDRg9a6JpJh1Bh0', 'Grüezi'],
  ['$scrypt$ln=14,r=8,p=1$c2FsdCBvZiBieXRlcyD/$+50qipxw5oed2jaoucYhaH6yQalMv9ZvhOqqPVzkL10', 'Grüezi'],
  ['$5$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5', 'Hello world!'],
  [
    '$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1',
    'Hello world!',
  ],
  [
    '$6$rounds=1000$roundstoolow$qx2Fl7m6z8W9xTQWleBFcfpSbZdad3Xf2nPBvXW832RViQ1pt1l8BiR/kE7LCJI9fKa5xkt1idWWzK2.UlHOF/',
    'x',
  ],
];

describe('verifyPassword of hashes by other programs', () => {
  test.each(vectors)('%s accepts its password and no other', async (mcf, password) => {
    expect(await verifyPassword(mcf, password)).toBe(true);
    expect(await verifyPassword(mcf, `${password.slice(0, 40)}?`)).toBe(false);
  });

  it('is tested for every algorithm', () => {
    const found = vectors
      .map(([mcf]) => recognise(mcf))
      .map((one) => (isProblem(one) ? one.detail : one.algorithm));
    expect([...new Set(found)].sort()).toEqual([...algorithmNames]);
  });
});

it('verifyPassword compares 72 bytes of a bcrypt password', async () => {
  const mcf = '$2y$10$.AmEVFyho1YgMi9nghbF2e.r1vsKaJCNfPPvHGENaScgryhh8uyT6';
  expect(await verifyPassword(mcf, `${'x'.repeat(72)} and more`)).toBe(true);
  expect(await verifyPassword(mcf, 'x'.repeat(71))).toBe(false);
});

it('verifyPassword returns a problem for text that is not a hash', async () => {
  expect(await verifyPassword('{SSHA}abc', 'x')).toMatchObject({ code: 'password:algorithm-unsupported' });
  expect(await verifyPassword('', 'x')).toMatchObject({ code: 'password:malformed' });
});

describe('verifyPassword of hashes in real exports', () => {
  const samples = verifiedHashes();

  it('is tested with right and wrong passwords', () => {
    expect(new Set(samples.map(({ verifies }) => verifies))).toEqual(new Set([true, false]));
  });

  test.each(samples.filter(({ verifies }) => verifies))(
    '$note: accepts its password',
    async ({ mcf, password }) => {
      expect(await verifyPassword(mcf, password)).toBe(true);
    },
  );

  test.each(samples.filter(({ verifies, targetValid }) => !verifies && targetValid))(
    '$note: refuses the password although the target accepts the hash',
    async ({ mcf, password }) => {
      expect(await verifyPassword(mcf, password)).not.toBe(true);
    },
  );
});
