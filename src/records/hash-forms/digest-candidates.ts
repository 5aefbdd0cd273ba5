/** Plain digests that a bare text may be, by its length: with the salt before, behind, as bytes, or nested. */
import { isProblem } from '../mcf/algorithm.ts';
import { md5Salted } from '../mcf/crypt.ts';
import { decodeText, fromBase64, fromHex, type TextEncoding } from './encodings.ts';
import { digestBytes, type DigestName, digestNames, type SourceForm } from './form.ts';
import { bytesOfFormula } from './formula.ts';
import type { HashParts } from './row.ts';

export interface DigestCandidate {
  readonly form: SourceForm;
  /** One sentence: what was hashed. */
  readonly text: string;
  /** The line of the mapping that says it. */
  readonly mapping: string;
  /** True where the target can verify it. */
  readonly isCarried: boolean;
}

/** A formula for each digest, and its words; `D` stands for the digest. */
type Layout = readonly [formula: string, title: string];

const unsalted: readonly Layout[] = [
  ['D(password)', 'the password, without a salt'],
  ['D(hex(D(password)))', 'its own digits: D twice'],
  ['D(utf-16le(password))', 'the password in UTF-16'],
];

const salted: readonly Layout[] = [
  ['D(salt + password)', 'the salt and the password behind it'],
  ['D(password + salt)', 'the password and the salt behind it'],
  ...[':', '-', '$', '|'].flatMap((mark): Layout[] => [
    [`D(salt + "${mark}" + password)`, `the salt, \`${mark}\` and the password`],
    [`D(password + "${mark}" + salt)`, `the password, \`${mark}\` and the salt`],
  ]),
  ['D(hex(D(password)) + salt)', 'the digits of D of the password and the salt behind them'],
  ['D(salt + hex(D(password)))', 'the salt and the digits of D of the password'],
  ['D(hex(D(salt)) + hex(D(password)))', 'two D, of the salt and of the password'],
  ['hmac-D(salt, password)', 'the password as an HMAC with the salt'],
];

const encodings: readonly (readonly [TextEncoding, layouts: readonly Layout[]])[] = [
  ['text', salted],
  ['hex', salted.slice(0, 2)],
  ['base64', salted.slice(0, 2)],
];

export function* digestCandidates(
  mcf: string | undefined,
  parts: HashParts | undefined,
): Generator<DigestCandidate> {
  const stored = storedDigest(mcf, parts);
  if (stored === undefined) return;
  const { expected, salt: text, key } = stored;
  for (const digest of digestNames) {
    if (digestBytes[digest] !== expected.length) continue;
    for (const [encoding, layouts] of text === '' ? [] : encodings) {
      const salt = decodeText(text, encoding);
      if (salt === undefined) continue;
      const of = encoding === 'text' ? '' : `salt: { encoding: ${encoding} }, `;
      yield* candidatesOf({ digest, expected, layouts, key: `${of}${key}`, salt });
    }
    yield* candidatesOf({ digest, expected, layouts: unsalted, key, salt: Buffer.alloc(0) });
  }
}

interface Digested {
  readonly digest: DigestName;
  readonly expected: Buffer;
  readonly layouts: readonly Layout[];
  /** What the mapping says of salt and key. */
  readonly key: string;
  readonly salt: Buffer;
}

function* candidatesOf({ digest, expected, layouts, key, salt }: Digested): Generator<DigestCandidate> {
  const name = digest.toUpperCase().replace('SHA', 'SHA-');
  for (const [formula, title] of layouts) {
    const made = formula.replaceAll('D(', `${digest}(`).replace('hmac-D', `hmac-${digest}`);
    if (made.startsWith('hmac-md4')) continue;
    const of = bytesOfFormula(made, { salt });
    yield {
      form: { kind: 'digest', expected: expected.toString('base64'), of },
      text: `The hash is ${name} of ${title.replaceAll(/\bD\b/g, name)}${key.startsWith('salt') ? ', with a salt of bytes' : ''}.`,
      mapping: `digest: { of: '${made}', ${key} }`,
      isCarried:
        digest === 'md5' &&
        !formula.includes('$') &&
        /^D\((?:salt \+ .*password|password(?: \+ .*salt)?)\)$/.test(formula),
    };
  }
}

interface StoredDigest {
  readonly expected: Buffer;
  readonly salt: string;
  readonly key: string;
}

/** The digest in a hash string of MD5, or a text that could be nothing else than a digest. */
function storedDigest(mcf: string | undefined, parts: HashParts | undefined): StoredDigest | undefined {
  const hex = fromHex((parts?.hash ?? mcf ?? '').trim());
  const key = `key: { encoding: ${hex === undefined && parts !== undefined ? 'base64' : 'hex'} }`;
  if (parts !== undefined) {
    const expected = hex ?? fromBase64(parts.hash);
    return expected && { expected, salt: parts.salt ?? '', key };
  }
  if (hex !== undefined) return { expected: hex, salt: '', key };
  const found = mcf?.startsWith('$md5salted') === true ? md5Salted.decode(mcf) : undefined;
  if (found === undefined || isProblem(found)) return undefined;
  return { expected: Buffer.from(found.digest, 'base64'), salt: found.salt, key };
}
