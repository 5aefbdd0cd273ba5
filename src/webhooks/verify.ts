/** Checks the signature of a received call, and explains what is wrong and how to fix it. */
import { timingSafeEqual } from 'node:crypto';
import { escapeForHtml, signatureHeader, signatureOf, signatureTolerance } from '../wire/signature.ts';

/** Why a call is not trusted. docs/webhooks.md has a remedy for each reason. */
export const refusals = {
  'no-key': 'There is no readable signing key.',
  missing: 'The call has no signature.',
  repeated: 'The call has more than one signature header.',
  malformed: 'The signature header has another form, so the call is not from the service.',
  'too-old': 'The call was signed longer ago than is allowed: a replay, or a wrong clock.',
  'from-the-future': 'The call was signed later than now: check both clocks.',
  'wrong-key': 'No signature matches. Compare the keys.',
  'body-altered': 'The body was altered on its way.',
} as const;
export type Refusal = keyof typeof refusals;

export interface Refused<Reason extends string = Refusal> {
  readonly ok: false;
  readonly reason: Reason;
  /** One sentence for a log. It never contains the key or the body. */
  readonly message: string;
}

export interface Verified {
  readonly ok: true;
  readonly signedAt: Date;
  /** Seconds between signing and now; negative if the sender's clock is ahead. */
  readonly age: number;
  /** Index of the key that matched. */
  readonly keyIndex: number;
  /** Signature of each key that matched, in hex. Signatures cover the time and the body, so they identify the call. */
  readonly signatures: readonly string[];
}

export interface SignedCall {
  /** Body byte for byte as it was received, never parsed and written again. */
  readonly body: string | Uint8Array;
  /** The `ZITADEL-Signature` header; an array if the server keeps repeated headers apart. */
  readonly header: string | readonly string[] | undefined | null;
  /** Signing key of the target, or several while a key is being rotated. */
  readonly key: string | readonly string[];
  /** Seconds that a call may be old, or ahead of this clock. The default is 300, as in the service's own verifier. */
  readonly tolerance?: number | undefined;
  /** False reports every signature that does not match as `wrong-key`, without examining the body. */
  readonly explains?: boolean | undefined;
  /** Time by which the age is checked, in milliseconds since 1970. */
  readonly now?: number | undefined;
}

/**
 * Checks a call by the rules of the service's own verifier (`ZITADEL-Signature: t=<seconds>,v1=<hex>`, `pkg/actions/signing.go`),
 * in constant time over all keys and all `v1` values. Unknown parts are ignored, and so is a `v1` that is not hex. Two rules are
 * stricter: a repeated header is refused, and so is a time in the future beyond the tolerance.
 */
export function verifySignature(call: SignedCall): Verified | Refused {
  const { body, explains, now = Date.now(), tolerance = signatureTolerance } = call;
  const keys = [call.key].flat();
  if (lacksKey(keys)) return refuse('no-key', 'there is no signing key, or it could not be fetched');
  const header = singleHeader(call.header);
  if (header === undefined) return refuse('repeated', `the call has more than one ${signatureHeader} header`);
  if (header === '') return refuse('missing', `the call has no ${signatureHeader} header`);
  const { signedAt, signatures = [] } = parseHeader(header) ?? {};
  if (signedAt === undefined) {
    return refuse('malformed', `the ${signatureHeader} header is not of the form t=<seconds>,v1=<hex>`);
  }
  const age = now / 1000 - Number(signedAt);
  // Written so that a tolerance that is not a number accepts nothing.
  if (!(age <= tolerance)) {
    return refuse('too-old', `signed ${Math.ceil(age)} seconds ago, ${tolerance} are allowed`);
  }
  if (signatures.length === 0) {
    return refuse('malformed', `the ${signatureHeader} header carries no v1 signature in hex`);
  }
  const fitting: Fitting = (candidate, key) => {
    const hex = signatureOf(candidate, key, signedAt);
    const expected = Buffer.from(hex, 'hex');
    const fits = (signature: Buffer) =>
      signature.length === expected.length && timingSafeEqual(signature, expected);
    return signatures.filter(fits).length > 0 ? hex : undefined;
  };
  const found = keys.map((key) => fitting(body, key));
  const keyIndex = found.findIndex((signature) => signature !== undefined);
  if (keyIndex === -1) return explains === false ? unexplained() : explainMismatch(body, keys, fitting);
  if (!(-age <= tolerance)) {
    const text = `signed ${Math.ceil(-age)} seconds in the future, ${tolerance} are allowed: check both clocks`;
    return refuse('from-the-future', text);
  }
  return {
    ok: true,
    signedAt: new Date(Number(signedAt) * 1000),
    age,
    keyIndex,
    signatures: found.flatMap((signature) => signature ?? []),
  };
}

/** Reports whether there is no key, or an empty one, by which anyone could sign. */
export const lacksKey = (keys: readonly string[]) =>
  keys.length === 0 || keys.some((key) => key.trim() === '');

/** Returns the signature of the body by this key, if the header has it. */
type Fitting = (body: string | Uint8Array, key: string) => string | undefined;

/** Returns undefined for a repeated header: an array, or values that HTTP libraries have joined with a comma. */
function singleHeader(header: SignedCall['header']) {
  if (header === undefined || header === null) return '';
  const text = typeof header === 'string' ? header : header.join(', ');
  return (text.match(/(?:^|,)\s*t=/g)?.length ?? 0) > 1 ? undefined : text;
}

function parseHeader(header: string) {
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
  return { signedAt, signatures };
}

/** Larger bodies are not examined, because an unknown sender must not cause much work. */
const explainedLength = 1024 * 1024;

const unexplained = (): Refused =>
  refuse('wrong-key', 'no v1 signature fits: another key, or the body was altered on its way here');

/**
 * Tells whether the key is wrong or the body was altered. A mismatch alone does not, so this tries the usual mistakes: a body that
 * was parsed and written again, a final line break, changed line ends. If none matches, the form of the body decides: the service
 * sends compact JSON or a compact token.
 */
function explainMismatch(body: string | Uint8Array, keys: readonly string[], fitting: Fitting): Refused {
  if (body.length > explainedLength) return unexplained();
  const text = typeof body === 'string' ? body : Buffer.from(body).toString('utf8');
  for (const [how, undo] of alterations) {
    const original = undo(text);
    if (original !== undefined && keys.some((key) => fitting(original, key) !== undefined)) {
      return refuse('body-altered', `the body was altered on its way here: ${how}`);
    }
  }
  return isUntouched(text)
    ? unexplained()
    : refuse(
        'body-altered',
        'no v1 signature fits, and the body is not in the compact form that is sent: most likely it was altered',
      );
}

/** What middleware and editors do to bodies, and how to undo it. */
const alterations: readonly (readonly [string, (text: string) => string | undefined])[] = [
  ['a line break was added at its end', (text) => text.replace(/\r?\n$/, '')],
  ['a line break was removed from its end', (text) => `${text}\n`],
  ['a byte order mark was put before it', (text) => text.replace(/^\uFEFF/, '')],
  ['its line ends were changed', (text) => text.replaceAll('\r\n', '\n')],
  ['its line ends were changed', (text) => text.replaceAll(/(?<!\r)\n/g, '\r\n')],
  ['it was parsed and written again', rewriteCompact],
  ['it was parsed and written again', (text) => escapeForHtml(rewriteCompact(text) ?? text)],
];

/** Also returns undefined for JSON that is nested too deeply to be written. */
function rewriteCompact(text: string) {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function isUntouched(text: string) {
  if (/^[\w-]+(?:\.[\w-]*){2,4}$/.test(text)) return true;
  return rewriteCompact(text) !== undefined && !/\s/.test(text.replaceAll(/"(?:[^"\\]|\\.)*"/g, ''));
}

export function refuse<Reason extends string>(reason: Reason, message: string): Refused<Reason> {
  return { ok: false, reason, message };
}
