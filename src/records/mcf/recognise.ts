/** The table of password hash algorithms: recognises a complete hash string and gives its canonical form. */
import { flattenString } from '../../lib/flatten-string.ts';
import { argon2 } from './argon2.ts';
import { bcrypt } from './bcrypt.ts';
import { type HashAlgorithm, isProblem, type McfProblem, type Recognised } from './algorithm.ts';
import { explainDeception, explainForeign, type HashOrigin } from './foreign.ts';
import { isHex } from '../text.ts';
import { md5, md5Crypt, md5Salted } from './md5.ts';
import { pbkdf2 } from './pbkdf2.ts';
import { drupal7, phpass } from './phpass.ts';
import { scrypt } from './scrypt.ts';
import { shaCrypt } from './sha-crypt.ts';

type Read = (text: string) => Recognised | McfProblem;

/** Hides the parts: what a table over all algorithms needs. */
function reader<Parts extends object>(
  algorithm: HashAlgorithm<Parts>,
): readonly [identifiers: readonly string[], read: Read] {
  const read: Read = (text) => {
    const parts = algorithm.decode(text);
    if (isProblem(parts)) return parts;
    const { algorithm: name, verifier, parameters } = algorithm.describe(parts);
    const found = { mcf: algorithm.encode(parts), algorithm: name, verifier, parameters };
    if (algorithm.tail !== undefined) remember(found, algorithm.tail);
    return found;
  };
  return [algorithm.identifiers, read];
}

type Tail = NonNullable<HashAlgorithm<never>['tail']>;

/** By what stands before salt and key: hashes of a run have few beginnings, and differ in the rest alone. */
const known = new Map<string, { readonly found: Recognised; readonly tail: Tail }>();
const mostKnown = 1000;

function remember(found: Recognised, tail: Tail): void {
  const beginning = flattenString(found.mcf.slice(0, tail.start(found.mcf)));
  if (known.size < mostKnown) known.set(beginning, { found, tail });
}

/** The parameters of hashes with the same beginning are the very same object, so that a caller may compare them as such. */
function readKnown(text: string): Recognised | undefined {
  const last = text.lastIndexOf('$');
  // Salt and key are two parts of most.
  return readTail(text, text.lastIndexOf('$', last - 1) + 1) ?? readTail(text, last + 1);
}

function readTail(text: string, start: number): Recognised | undefined {
  const like = known.get(text.slice(0, start));
  if (like === undefined || !like.tail.isCanonical(text, start)) return undefined;
  const { algorithm, verifier, parameters } = like.found;
  return { mcf: text, algorithm, verifier, parameters };
}

const [, readMd5] = reader(md5);
const readers = new Map<string, Read>();
for (const [identifiers, read] of [
  reader(argon2),
  reader(bcrypt),
  reader(drupal7),
  reader(md5Crypt),
  reader(md5Salted),
  reader(pbkdf2),
  reader(phpass),
  reader(scrypt),
  reader(shaCrypt),
]) {
  for (const identifier of identifiers) readers.set(identifier, read);
}

/**
 * Reads a complete hash string, without blanks around it. Pure, one pass, and never throws: whatever no verifier of the
 * target could check is a problem, also where the target itself would take it. `origin` is named where the looks of a
 * hash deceive.
 */
export function recognise(text: string, origin?: HashOrigin): Recognised | McfProblem {
  const found = readKnown(text) ?? readAny(text);
  if (origin === undefined || isProblem(found)) return found;
  return explainDeception(found.algorithm, origin) ?? found;
}

function readAny(text: string): Recognised | McfProblem {
  if (text.startsWith('$')) {
    const end = text.indexOf('$', 1);
    const read = end < 0 ? undefined : readers.get(text.slice(1, end));
    return read === undefined ? explainForeign(text) : read(text);
  }
  return isHex(text) ? readMd5(text) : explainForeign(text);
}
