/** Checks the signature of a received call, and says what is wrong and how to fix it. */
import { tryParseJson } from '../lib/json-value.ts';
import {
  signatureHeader,
  signatureTolerance,
  verifySignature as checkSignature,
  type SignatureProblem,
  type SignatureVerdict,
} from '../wire/signature.ts';

/** Why a call is not trusted; docs/webhooks.md has a remedy for each. */
export const refusals = [
  'no-key',
  'missing',
  'repeated',
  'malformed',
  'too-old',
  'from-the-future',
  'wrong-key',
  'body-altered',
] as const;
export type Refusal = (typeof refusals)[number];

export interface Refused<Reason extends string = Refusal> {
  readonly ok: false;
  readonly reason: Reason;
  /** One sentence for a log; never holds the key or the body. */
  readonly message: string;
}

export interface Verified {
  readonly ok: true;
  readonly signedAt: Date;
  /** Seconds between signing and now; negative where the sender's clock is ahead. */
  readonly age: number;
  /** Which of the keys fitted, from 0. */
  readonly keyIndex: number;
  /** The signature of each key that fitted, in hex. They cover the time and the body, so they identify the call. */
  readonly signatures: readonly string[];
}

export interface SignedCall {
  /** The body byte for byte as it was received: never parsed and written again. */
  readonly body: string | Uint8Array;
  /** The `ZITADEL-Signature` header; an array where the server keeps repeated headers apart. */
  readonly header: string | readonly string[] | undefined | null;
  /** The signing key of the target, or several while a key is being rotated. */
  readonly key: string | readonly string[];
  /** How many seconds a call may be old, or ahead of this clock. 300 by default, as the service's own verifier. */
  readonly tolerance?: number | undefined;
  /** True takes calls from any time in the future, as the service's own verifier does. */
  readonly allowFuture?: boolean | undefined;
  /** False: a signature that does not fit is `wrong-key`, without a look at what was altered. */
  readonly explains?: boolean | undefined;
  /** The time to check the age by, in milliseconds since 1970. */
  readonly now?: number | undefined;
}

/**
 * Checks a call by the rules of the service (contract of `ZITADEL-Signature: t=<seconds>,v1=<hex>`), in constant
 * time over all keys and all `v1` values. Two things are stricter: a header that came twice is refused, and so is a
 * time in the future beyond the tolerance.
 */
export function verifySignature(call: SignedCall): Verified | Refused {
  const keys = typeof call.key === 'string' ? [call.key] : call.key;
  if (keys.length === 0 || keys.includes('')) return refuse('no-key', 'no signing key is configured');
  const header = singleHeader(call.header);
  if (header === undefined) {
    return refuse('repeated', `the call has more than one ${signatureHeader} header`);
  }
  const now = call.now ?? Date.now();
  const tolerance = call.tolerance ?? signatureTolerance;
  const verdicts = keys.map((key) => checkSignature(call.body, header, key, { now, tolerance }));
  const keyIndex = verdicts.findIndex((verdict) => verdict.ok);
  const verdict = verdicts[keyIndex] ?? verdicts[0];
  if (verdict?.ok === true) {
    const age = now / 1000 - verdict.signedAt;
    return -age > tolerance && call.allowFuture !== true
      ? refuseFuture(-age, tolerance)
      : {
          ok: true,
          signedAt: new Date(verdict.signedAt * 1000),
          age,
          keyIndex,
          signatures: fitting(verdicts),
        };
  }
  const problem: SignatureProblem = verdict?.reason ?? 'missing';
  if (problem !== 'no-match') return refuse(problem, verdict?.detail ?? '');
  if (call.explains === false || call.body.length > explainedLength) {
    return refuse('wrong-key', 'no v1 signature fits: another key, or the body was altered on its way here');
  }
  return explainMismatch(call.body, header, keys);
}

const fitting = (verdicts: readonly SignatureVerdict[]): string[] =>
  verdicts.flatMap((verdict) => (verdict.ok ? verdict.fitting : []));

function refuseFuture(ahead: number, tolerance: number): Refused {
  const text = `signed ${Math.floor(ahead)} seconds in the future, ${tolerance} are allowed: check both clocks`;
  return refuse('from-the-future', text);
}

/** Undefined where the header came twice: as a list, or joined with a comma as HTTP libraries do. */
function singleHeader(header: SignedCall['header']): string | undefined {
  if (header === undefined || header === null) return '';
  const text = typeof header === 'string' ? header : header.join(', ');
  return (text.match(/(?:^|,)\s*t=/g)?.length ?? 0) > 1 ? undefined : text;
}

/** Larger bodies are not examined: an unknown sender must not make the receiver work. */
const explainedLength = 1024 * 1024;

/**
 * A mismatch alone does not say whether the key is wrong or the body altered. What usually goes wrong is tried instead:
 * a key file with a line break, a body that was parsed and written again, a final line break, changed line ends.
 * Where nothing fits, the form of the body decides: the service sends compact JSON or a compact token.
 */
function explainMismatch(body: string | Uint8Array, header: string, keys: readonly string[]): Refused {
  if (!/(?:^|,)v1=(?:[\da-f]{2})+(?:,|$)/i.test(header)) {
    return refuse('malformed', `the ${signatureHeader} header carries no v1 signature in hex`);
  }
  const fits = (candidate: string | Uint8Array, key: string): boolean =>
    checkSignature(candidate, header, key, { now: 0, tolerance: Infinity }).ok;
  if (keys.some((key) => key.trim() !== key && fits(body, key.trim()))) {
    return refuse('wrong-key', 'the key has white space around it; without it, it would fit');
  }
  const text = typeof body === 'string' ? body : Buffer.from(body).toString('utf8');
  for (const [how, undo] of alterations) {
    const original = undo(text);
    if (original !== undefined && keys.some((key) => fits(original, key))) {
      return refuse('body-altered', `the body was altered on its way here: ${how}`);
    }
  }
  return isUntouched(text)
    ? refuse('wrong-key', 'no v1 signature fits: most likely the key is not the one of this target')
    : refuse(
        'body-altered',
        'no v1 signature fits, and the body is not in the compact form that is sent: most likely it was altered',
      );
}

/** What happens to bodies on their way through middleware and editors, and how to undo it. */
const alterations: readonly (readonly [string, (text: string) => string | undefined])[] = [
  ['a line break was added at its end', (text) => text.replace(/\r?\n$/, '')],
  ['a line break was removed from its end', (text) => `${text}\n`],
  ['a byte order mark was put before it', (text) => text.replace(/^\uFEFF/, '')],
  ['its line ends were changed', (text) => text.replaceAll('\r\n', '\n')],
  ['its line ends were changed', (text) => text.replaceAll(/(?<!\r)\n/g, '\r\n')],
  ['it was parsed and written again', rewriteCompact],
  ['it was parsed and written again', (text) => escapeForHtml(rewriteCompact(text))],
];

function rewriteCompact(text: string): string | undefined {
  const value = tryParseJson(text);
  return value === undefined ? undefined : JSON.stringify(value);
}

/** The service writes these five characters escaped, JavaScript writes them plainly. */
function escapeForHtml(text: string | undefined): string | undefined {
  return text?.replace(
    /[<>&\u2028\u2029]/g,
    (sign) => `\\u${sign.codePointAt(0)?.toString(16).padStart(4, '0')}`,
  );
}

function isUntouched(text: string): boolean {
  if (/^[\w-]+(?:\.[\w-]*){2,4}$/.test(text)) return true;
  return rewriteCompact(text) !== undefined && !/\s/.test(text.replaceAll(/"(?:[^"\\]|\\.)*"/g, ''));
}

function refuse<Reason extends string>(reason: Reason, message: string): Refused<Reason> {
  return { ok: false, reason, message };
}
