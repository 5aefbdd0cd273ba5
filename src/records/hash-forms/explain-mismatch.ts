/** Why a hash does not take a password that is known to be right: tries what sources are known to do otherwise. */
import { isProblem } from '../mcf/algorithm.ts';
import { pbkdf2 } from '../mcf/keyed.ts';
import { recognise } from '../mcf/recognise.ts';
import { verifyPassword } from '../mcf/verify.ts';
import { type Alteration, alterations } from './alterations.ts';
import { type Decoded, isPlain } from './decoded.ts';
import { digestCandidates } from './digest-candidates.ts';
import type { Bytes, SourceForm } from './form.ts';
import { bytesOfFormula } from './formula.ts';
import type { HashParts } from './row.ts';
import { variantsOf } from './variants.ts';
import { computeBytes, verifyDecoded, verifyForm } from './verify-form.ts';

export interface Cause {
  /** One sentence: what was hashed. */
  readonly text: string;
  /** What it means for users. */
  readonly consequence: string;
  /** The line of the mapping to change, where one helps. */
  readonly mapping?: string;
}

/** `undefined`: nothing known explains it. `unfinished`: the time was over before all was tried. */
export type Explanation = Cause | 'unfinished' | undefined;

/** A hash string, and what the source has stored where that is known. */
export interface StoredHash {
  readonly mcf?: string;
  readonly parts?: HashParts | undefined;
  readonly decoded?: Decoded;
}

/** `isOver` is asked before every hash: costly hashes could keep the search busy for hours. */
export async function explainMismatch(
  { mcf, parts, decoded }: StoredHash,
  password: string,
  isOver: () => boolean,
): Promise<Explanation> {
  if (decoded !== undefined && (await acceptsItself(decoded, password))) return causeOf(decoded);
  for (const candidate of candidatesOf(mcf ?? hashStringIn(parts), parts, password)) {
    if (isOver()) return 'unfinished';
    if (await holds(candidate)) return candidate.cause;
  }
  return undefined;
}

/** A hash string that the source has stored and that was refused, for the mapping says it is of another kind. */
function hashStringIn(parts: HashParts | undefined): string | undefined {
  const found = recognise(parts?.hash.trim() ?? '');
  return isProblem(found) || !found.mcf.startsWith('$') ? undefined : found.mcf;
}

/** What a library refuses to compute explains nothing. */
async function holds({ matches }: Candidate): Promise<boolean> {
  try {
    return await matches();
  } catch {
    return false;
  }
}

async function acceptsItself(decoded: Decoded, password: string): Promise<boolean> {
  if (!isPlain(decoded) && decoded.form === undefined) return false;
  return (await verifyDecoded(decoded, password)) === true;
}

const noLogin =
  'No hash string of the target can say this: users set a new password, or bring it at a login.';
const carried = (only: string): string => `Users ${only} cannot log in at the target; all others can.`;
const rightMapping = 'With the right line in the mapping the hashes can be carried.';

/** The source's own form takes the password, and the hash string of the target does not. */
function causeOf(decoded: Decoded): Cause {
  if ('code' in decoded)
    return { text: `The source knows the password: ${decoded.detail}.`, consequence: noLogin };
  return {
    text: 'The source alters this password before it hashes it.',
    consequence: 'This user cannot log in at the target; users whose password is not altered can.',
  };
}

interface Candidate {
  readonly matches: () => Promise<boolean>;
  readonly cause: Cause;
}

function* candidatesOf(
  mcf: string | undefined,
  parts: HashParts | undefined,
  password: string,
): Generator<Candidate> {
  if (mcf !== undefined) {
    for (const variant of variantsOf(mcf)) {
      yield {
        matches: () => accepts(variant.mcf, Buffer.from(password)),
        cause: {
          text: `In the mapping, ${variant.title}.`,
          consequence: rightMapping,
          mapping: variant.mapping,
        },
      };
    }
    yield* sha3(mcf, password);
    for (const alteration of alterations) {
      yield {
        matches: () => acceptsAltered(mcf, bytesOfFormula(alteration.made), password),
        cause: causeOfAlteration(alteration),
      };
    }
    if (mcf.startsWith('$2')) yield twice(mcf, password);
  }
  for (const { form, text, mapping, isCarried } of digestCandidates(mcf, parts)) {
    yield {
      matches: async () => (await verifyForm(form, password)) === true,
      cause: { text, consequence: isCarried ? rightMapping : noLogin, mapping },
    };
  }
}

async function accepts(mcf: string, bytes: Uint8Array): Promise<boolean> {
  return (await verifyPassword(mcf, bytes)) === true;
}

/** Most alterations leave most passwords as they are: then nothing has to be hashed. */
async function acceptsAltered(mcf: string, of: Bytes, password: string): Promise<boolean> {
  const bytes = await computeBytes(of, password);
  return !bytes.equals(Buffer.from(password)) && accepts(mcf, bytes);
}

function causeOfAlteration({ title, known, made, only }: Alteration): Cause {
  const who = known === undefined ? '' : `, as ${known} ${known.includes(' and ') ? 'do' : 'does'}`;
  return {
    text: `The hash was made from ${title}${who}.`,
    consequence: only === undefined ? noLogin : carried(only),
    ...(only === undefined ? { mapping: `prehash: ${made}` } : {}),
  };
}

/** PBKDF2 over the SHA-3 of the same length. */
function* sha3(mcf: string, password: string): Generator<Candidate> {
  const parts = mcf.startsWith('$pbkdf2') ? pbkdf2.decode(mcf) : undefined;
  if (parts === undefined || isProblem(parts) || parts.digest === 'sha1') return;
  const { rounds, salt, key } = parts;
  const digest = parts.digest.replace('sha', 'sha3-');
  yield {
    matches: async () =>
      (await verifyForm({ kind: 'pbkdf2', digest, rounds, salt: { base64: salt }, key }, password)) === true,
    cause: {
      text: `The digest is ${digest}, which Ory Kratos writes as ${parts.digest}.`,
      consequence: noLogin,
    },
  };
}

function twice(mcf: string, password: string): Candidate {
  const form: SourceForm = { kind: 'mcf', mcf, of: { bcryptLike: mcf, of: 'password' } };
  return {
    matches: async () => (await verifyForm(form, password)) === true,
    cause: {
      text: 'The hash is a bcrypt hash of a bcrypt hash with the same salt, as WoltLab writes it.',
      consequence: noLogin,
      mapping: 'prehash: bcrypt(password)',
    },
  };
}
