/** The table of families of password hashes: a complete hash string in, what it is and its canonical spelling out. */
import { argon2 } from './argon2.ts';
import { bcrypt } from './bcrypt.ts';
import { type Family, isProblem, type McfProblem, type Recognised } from './family.ts';
import { explainDeception, explainForeign, type HashOrigin } from './foreign.ts';
import { isHexText, md5, md5Crypt, md5Salted } from './md5.ts';
import { pbkdf2 } from './pbkdf2.ts';
import { drupal7, phpass } from './phpass.ts';
import { scrypt } from './scrypt.ts';
import { shaCrypt } from './sha-crypt.ts';

type Read = (text: string) => Recognised | McfProblem;

/** Hides the parts: what a table over all families needs. */
function reader<Parts extends object>(
  family: Family<Parts>,
): readonly [identifiers: readonly string[], read: Read] {
  const read: Read = (text) => {
    const parts = family.decode(text);
    if (isProblem(parts)) return parts;
    const { family: name, verifier, parameters } = family.describe(parts);
    const found = { mcf: family.encode(parts), family: name, verifier, parameters };
    if (family.tail !== undefined)
      latest = { found, beginning: beginningOf(found.mcf, family.tail), tail: family.tail };
    return found;
  };
  return [family.identifiers, read];
}

type Tail = NonNullable<Family<never>['tail']>;

/** What was recognised last: nearly all hashes of a run differ from it in salt and key alone. */
let latest: { readonly found: Recognised; readonly beginning: string; readonly tail: Tail } | undefined;

function beginningOf(mcf: string, { start }: Tail): string {
  return mcf.slice(0, start(mcf));
}

/** The parameters are the very same object as last time, so that a caller may compare them as such. */
function readLikeLatest(text: string): Recognised | undefined {
  if (latest === undefined || !text.startsWith(latest.beginning)) return undefined;
  if (!latest.tail.isCanonical(text, latest.beginning.length)) return undefined;
  const { family, verifier, parameters } = latest.found;
  return { mcf: text, family, verifier, parameters };
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
  const found = readLikeLatest(text) ?? readAny(text);
  if (origin === undefined || isProblem(found)) return found;
  return explainDeception(found.family, origin) ?? found;
}

function readAny(text: string): Recognised | McfProblem {
  if (text.startsWith('$')) {
    const end = text.indexOf('$', 1);
    const read = end < 0 ? undefined : readers.get(text.slice(1, end));
    return read === undefined ? explainForeign(text) : read(text);
  }
  return isHexText(text) ? readMd5(text) : explainForeign(text);
}
