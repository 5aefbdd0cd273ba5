/** Writes and checks the `ZITADEL-Signature` header of a webhook body. */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** Header names are the same in upper and lower case. */
export const signatureHeader = 'ZITADEL-Signature';

/** How old a call may be when nothing else is said, in seconds. Only the past is limited. */
export const signatureTolerance = 300;

/** Why a signature was refused. */
export type SignatureProblem = 'missing' | 'malformed' | 'too-old' | 'no-match';

export type SignatureVerdict =
  /** `signedAt` in seconds since 1970, as the header says. `fitting`: the signatures of the keys that fit, in hex. */
  | { readonly ok: true; readonly signedAt: number; readonly fitting: readonly string[] }
  | { readonly ok: false; readonly reason: SignatureProblem; readonly detail: string };

interface ParsedHeader {
  signedAt: bigint;
  signatures: Buffer[];
}

/**
 * `t=<unix seconds>,v1=<hex HMAC-SHA256 over "t.body">`, one `v1` per key: during a rotation both keys sign.
 * `signedAt` in seconds; a fraction is cut off.
 */
export function signBody(
  body: string | Uint8Array,
  keys: string | readonly string[],
  signedAt: number,
): string {
  const seconds = BigInt(Math.floor(signedAt));
  const parts = toList(keys).map((key) => `v1=${mac(body, key, seconds).toString('hex')}`);
  return [`t=${seconds}`, ...parts].join(',');
}

/**
 * Checks the raw body as it was received, byte for byte; parsing it first breaks the signature.
 * Any of `keys` and any `v1` of the header may match, compared in constant time. Unknown parts are ignored,
 * a `v1` that is not hex as well. `now` in milliseconds, `tolerance` in seconds; a time in the future passes.
 * Order and rules are those of the service's own verifier (`pkg/actions/signing.go`).
 */
export function verifySignature(
  body: string | Uint8Array,
  header: string | undefined | null,
  keys: string | readonly string[],
  { now, tolerance = signatureTolerance }: { readonly now: number; readonly tolerance?: number },
): SignatureVerdict {
  if (header === undefined || header === null || header === '') {
    return refuse('missing', `the call has no ${signatureHeader} header`);
  }
  const parsed = parseHeader(header);
  if (parsed === undefined) {
    return refuse('malformed', `the ${signatureHeader} header is not of the form t=<seconds>,v1=<hex>`);
  }
  const age = now / 1000 - Number(parsed.signedAt);
  if (age > tolerance) {
    return refuse('too-old', `signed ${Math.floor(age)} seconds ago, ${tolerance} are allowed`);
  }
  if (parsed.signatures.length === 0) return refuse('no-match', 'the header carries no v1 signature');
  const fitting = findFitting(body, toList(keys), parsed);
  if (fitting.length === 0) {
    return refuse('no-match', 'no v1 signature fits this body and key: another key, or the body was altered');
  }
  return { ok: true, signedAt: Number(parsed.signedAt), fitting };
}

function parseHeader(header: string): ParsedHeader | undefined {
  let signedAt: bigint | undefined;
  const signatures: Buffer[] = [];
  for (const pair of header.split(',')) {
    const [name, value, ...more] = pair.split('=');
    if (value === undefined || more.length > 0) return undefined;
    if (name === 't') {
      if (!/^[+-]?\d{1,18}$/.test(value)) return undefined;
      signedAt = BigInt(value.replace('+', ''));
    }
    if (name === 'v1' && /^(?:[\da-f]{2})+$/i.test(value)) signatures.push(Buffer.from(value, 'hex'));
  }
  return signedAt === undefined ? undefined : { signedAt, signatures };
}

function findFitting(body: string | Uint8Array, keys: readonly string[], header: ParsedHeader): string[] {
  const found: string[] = [];
  for (const key of keys) {
    const expected = mac(body, key, header.signedAt);
    let fits = false;
    for (const signature of header.signatures) {
      if (signature.length === expected.length && timingSafeEqual(signature, expected)) fits = true;
    }
    if (fits) found.push(expected.toString('hex'));
  }
  return found;
}

function mac(body: string | Uint8Array, key: string, seconds: bigint): Buffer {
  return createHmac('sha256', key).update(`${seconds}.`).update(body).digest();
}

function toList(keys: string | readonly string[]): readonly string[] {
  return typeof keys === 'string' ? [keys] : keys;
}

function refuse(reason: SignatureProblem, detail: string): SignatureVerdict {
  return { ok: false, reason, detail };
}
