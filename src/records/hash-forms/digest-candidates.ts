/** Plain digests that a bare text may be, by its length: with the salt before, behind, as bytes, or nested. */
import { isProblem } from '../mcf/algorithm.ts';
import { md5Salted } from '../mcf/md5.ts';
import { digestBytes, digestForm, type HashParts } from './decoded.ts';
import { fromBase64, fromHex } from './encodings.ts';
import { type Bytes, type DigestName, digestNames, type SourceForm } from './form.ts';

export interface DigestCandidate {
  readonly form: SourceForm;
  /** One sentence: what was hashed. */
  readonly text: string;
  /** The line of the mapping that carries it; absent where none does. */
  readonly mapping?: string;
}

interface Layout {
  readonly of: Bytes;
  readonly title: string;
  /** `around` of a mapping, where the target can verify it as MD5. */
  readonly around?: string;
}

export function* digestCandidates(
  mcf: string | undefined,
  parts: HashParts | undefined,
): Generator<DigestCandidate> {
  const stored = storedDigest(mcf, parts);
  if (stored === undefined) return;
  const { expected, salt, isHex } = stored;
  for (const digest of digestNames) {
    if (digestBytes[digest] !== expected.length) continue;
    for (const { of, title, around } of layoutsOf(digest, salt)) {
      const mapping =
        digest === 'md5' && around !== undefined
          ? `md5: { digest: { encoding: ${isHex ? 'hex' : 'base64'} }, around: '${around}' }`
          : undefined;
      yield {
        form: digestForm(of, expected),
        text: `The hash is ${nameOf(digest)} of ${title}.`,
        ...(mapping === undefined ? {} : { mapping }),
      };
    }
  }
}

interface StoredDigest {
  readonly expected: Buffer;
  readonly salt: string;
  readonly isHex: boolean;
}

/** The digest in a hash string of MD5, or a text that could be nothing else than a digest. */
function storedDigest(mcf: string | undefined, parts: HashParts | undefined): StoredDigest | undefined {
  if (parts !== undefined) {
    const text = parts.hash.trim();
    const hex = fromHex(text);
    const expected = hex ?? fromBase64(text);
    return expected === undefined
      ? undefined
      : { expected, salt: parts.salt ?? '', isHex: hex !== undefined };
  }
  if (mcf === undefined) return undefined;
  const bare = fromHex(mcf);
  if (bare !== undefined) return { expected: bare, salt: '', isHex: true };
  const salted = mcf.startsWith('$md5salted') ? md5Salted.decode(mcf) : undefined;
  if (salted === undefined || isProblem(salted)) return undefined;
  return { expected: Buffer.from(salted.digest, 'base64'), salt: salted.salt, isHex: true };
}

function layoutsOf(digest: DigestName, salt: string): Layout[] {
  const hex: Bytes = { digest, of: 'password', as: 'hex' };
  const plain: Layout[] = [
    { of: { digest, of: 'password' }, title: 'the password, without a salt', around: '{PASSWORD}' },
    { of: { digest, of: hex }, title: `its own digits: ${nameOf(digest)} twice` },
    { of: { digest, of: { step: 'utf-16le', of: 'password' } }, title: 'the password in UTF-16' },
  ];
  return salt === '' ? plain : [...saltedLayouts(digest, salt, hex), ...plain];
}

function saltedLayouts(digest: DigestName, salt: string, hex: Bytes): Layout[] {
  const text: Bytes = { text: salt };
  const both = (piece: Bytes, what: string, isText: boolean): Layout[] => [
    {
      of: { digest, of: { join: [piece, 'password'] } },
      title: `the salt${what} and the password behind it`,
      ...(isText ? { around: '{SALT}{PASSWORD}' } : {}),
    },
    {
      of: { digest, of: { join: ['password', piece] } },
      title: `the password and the salt${what} behind it`,
      ...(isText ? { around: '{PASSWORD}{SALT}' } : {}),
    },
  ];
  const bytes = [
    { salt: fromHex(salt), what: ' (as hex)' },
    { salt: fromBase64(salt), what: ' (as base64)' },
  ].flatMap(({ salt: decoded, what }) =>
    decoded === undefined ? [] : both({ base64: decoded.toString('base64') }, what, false),
  );
  return [
    ...both(text, '', true),
    ...bytes,
    ...[':', '-', '$', '|'].flatMap((mark): Layout[] => [
      {
        of: { digest, of: { join: [{ text: `${salt}${mark}` }, 'password'] } },
        title: `the salt, \`${mark}\` and the password`,
        ...(mark === '$' ? {} : { around: `{SALT}${mark}{PASSWORD}` }),
      },
      {
        of: { digest, of: { join: ['password', { text: `${mark}${salt}` }] } },
        title: `the password, \`${mark}\` and the salt`,
        ...(mark === '$' ? {} : { around: `{PASSWORD}${mark}{SALT}` }),
      },
    ]),
    {
      of: { digest, of: { join: [hex, text] } },
      title: `the digits of ${nameOf(digest)} of the password and the salt behind them`,
    },
    {
      of: { digest, of: { join: [text, hex] } },
      title: `the salt and the digits of ${nameOf(digest)} of the password`,
    },
    {
      of: { digest, of: { join: [{ digest, of: text, as: 'hex' }, hex] } },
      title: `two ${nameOf(digest)}, of the salt and of the password`,
    },
    ...(digest === 'md4'
      ? []
      : [
          {
            of: { hmac: digest, key: text, of: 'password' } as const,
            title: 'the password as an HMAC with the salt',
          },
        ]),
  ];
}

const names: Readonly<Record<DigestName, string>> = {
  md4: 'MD4',
  md5: 'MD5',
  sha1: 'SHA-1',
  sha224: 'SHA-224',
  sha256: 'SHA-256',
  sha384: 'SHA-384',
  sha512: 'SHA-512',
};

function nameOf(digest: DigestName): string {
  return names[digest];
}
