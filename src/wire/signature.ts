/** Writes the `ZITADEL-Signature` header of a webhook body. */
import { createHmac } from 'node:crypto';

/** Header names are case-insensitive. */
export const signatureHeader = 'ZITADEL-Signature';

/** Default maximum age of a call, in seconds. */
export const signatureTolerance = 300;

/**
 * Returns `t=<unix seconds>,v1=<hex HMAC-SHA256 over "t.body">` with one `v1` per key: during a rotation, both keys sign.
 * `signedAt` is in seconds; a fraction is dropped.
 */
export function signBody(body: string | Uint8Array, keys: string | readonly string[], signedAt: number) {
  const seconds = Math.floor(signedAt);
  const parts = [keys].flat().map((key) => `v1=${signatureOf(body, key, seconds)}`);
  return [`t=${seconds}`, ...parts].join(',');
}

/** Returns the signature for one key in hex. A key file may end in a line break. */
export const signatureOf = (body: string | Uint8Array, key: string, seconds: number | bigint) =>
  createHmac('sha256', key.trim()).update(`${seconds}.`).update(body).digest('hex');

/** Escapes the five characters that the service escapes in a body but JavaScript does not. */
export const escapeForHtml = (json: string) =>
  json.replace(/[<>&\u2028\u2029]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
