/** The same stored hash, read otherwise: another encoding of the salt, another digest, the salt at the other end. */
import { isProblem } from '../mcf/algorithm.ts';
import { encodeBase64As } from '../mcf/base64.ts';
import { md5Salted } from '../mcf/crypt.ts';
import { argon2, pbkdf2, pbkdf2Digests, scrypt } from '../mcf/keyed.ts';
import { fromBase64, fromHex } from './encodings.ts';

/** A hash string that the mapping would have made, had it said otherwise. */
export interface Variant {
  readonly mcf: string;
  /** What the mapping has got wrong. */
  readonly title: string;
  /** The line that makes it right. */
  readonly mapping: string;
}

export function variantsOf(mcf: string): Variant[] {
  const identifier = mcf.split('$')[1] ?? '';
  if (identifier.startsWith('pbkdf2')) return pbkdf2Variants(mcf);
  if (identifier === 'scrypt') return scryptVariants(mcf);
  if (identifier.startsWith('argon2')) return argon2Variants(mcf);
  return identifier.startsWith('md5salted') ? md5Variants(mcf) : [];
}

function pbkdf2Variants(mcf: string): Variant[] {
  const parts = pbkdf2.decode(mcf);
  if (isProblem(parts)) return [];
  const digests = pbkdf2Digests
    .filter((digest) => digest !== parts.digest)
    .map((digest) => ({
      mcf: pbkdf2.encode({ ...parts, digest }),
      title: `the digest is ${digest}, not ${parts.digest}`,
      mapping: `digest: ${digest}`,
    }));
  const salts = saltsLike(Buffer.from(parts.salt, 'base64')).map(({ salt, ...words }) => ({
    ...words,
    mcf: pbkdf2.encode({ ...parts, salt: salt.toString('base64') }),
  }));
  return [...salts, ...digests];
}

function scryptVariants(mcf: string): Variant[] {
  const parts = scrypt.decode(mcf);
  if (isProblem(parts)) return [];
  const sizes = [8, 16]
    .filter((r) => r !== parts.r)
    .map((r) => ({
      mcf: scrypt.encode({ ...parts, r }),
      title: `the block size is ${r}, not ${parts.r}`,
      mapping: `blockSize: ${r}`,
    }));
  const salts = saltsLike(Buffer.from(parts.salt, 'base64')).map(({ salt, ...words }) => ({
    ...words,
    mcf: scrypt.encode({ ...parts, salt: encodeBase64As(salt.toString('base64'), 'unpadded') }),
  }));
  return [...salts, ...sizes];
}

function argon2Variants(mcf: string): Variant[] {
  const parts = argon2.decode(mcf);
  if (isProblem(parts)) return [];
  const variant = parts.variant === 'i' ? 'id' : 'i';
  const salts = saltsLike(Buffer.from(parts.salt, 'base64')).map(({ salt, ...words }) => ({
    ...words,
    mcf: argon2.encode({ ...parts, salt: encodeBase64As(salt.toString('base64'), 'unpadded') }),
  }));
  const other = {
    mcf: argon2.encode({ ...parts, variant }),
    title: `it is argon2${variant}, not argon2${parts.variant}`,
    mapping: `variant: ${variant}`,
  };
  return [...salts, other];
}

function md5Variants(mcf: string): Variant[] {
  const parts = md5Salted.decode(mcf);
  if (isProblem(parts)) return [];
  const position = parts.position === 'prefix' ? 'suffix' : 'prefix';
  const of = position === 'prefix' ? 'md5(salt + password)' : 'md5(password + salt)';
  const end = position === 'prefix' ? 'before' : 'after';
  return [
    {
      mcf: md5Salted.encode({ ...parts, position }),
      title: `the salt stands ${end} the password`,
      mapping: `of: ${of}`,
    },
  ];
}

interface LikeSalt {
  readonly salt: Buffer;
  readonly title: string;
  readonly mapping: string;
}

/** A salt that was taken as text though it stands for bytes, or the other way round. */
function saltsLike(salt: Buffer): LikeSalt[] {
  const text = salt.toString('latin1');
  const asBytes: (readonly [salt: Buffer | undefined, encoding: string])[] = [
    [fromHex(text), 'hex'],
    [fromBase64(text), 'base64'],
  ];
  const base64 = salt.toString('base64');
  const asText = [
    salt.toString('hex'),
    salt.toString('hex').toUpperCase(),
    base64,
    base64.replace(/=+$/, ''),
    salt.toString('base64url'),
    base64.replace(/=+$/, '').replaceAll('+', '.'),
  ];
  return [
    ...asBytes.flatMap(([bytes, encoding]) =>
      bytes === undefined || bytes.length === 0
        ? []
        : [
            {
              salt: bytes,
              title: `the salt is ${encoding}, not text`,
              mapping: `salt: { encoding: ${encoding} }`,
            },
          ],
    ),
    ...[...new Set(asText)].map((one) => ({
      salt: Buffer.from(one),
      title: 'the salt is the text as it stands, not the bytes that it seems to encode',
      mapping: 'salt: { encoding: text }',
    })),
  ];
}
