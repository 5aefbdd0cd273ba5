/** Reads one-time password secrets, and checks whether the target supports their parameters. */

/** Returns the secret in upper case without spaces, hyphens and padding, or undefined if it is not base32. */
export function canonicalBase32(text: string) {
  const canonical = text.replace(/[\s=-]/g, '').toUpperCase();
  return /^[A-Z2-7]+$/.test(canonical) ? canonical : undefined;
}

/** Reports whether the text is a JSON object with a nonce, as Supabase writes encrypted secrets. */
export function isEncryptedSecret(text: string) {
  const json = text.startsWith('eyJ') ? Buffer.from(text, 'base64').toString('utf8') : text;
  return json.startsWith('{') && /"(?:nonce|iv)"\s*:/.test(json);
}

/** How a one-time password works. The target supports one way only. */
interface OtpParameters {
  readonly algorithm: string;
  readonly digits: number;
  readonly period: number;
}

/** Returns which parameter the target does not support (it has SHA-1, 6 digits, 30 seconds), or undefined. */
export function otpObstacle({ algorithm, digits, period }: OtpParameters) {
  if (!/^(?:hmac)?-?sha-?1$/i.test(algorithm)) return `algorithm ${algorithm}`;
  if (digits !== 6) return `${digits} digits`;
  return period === 30 ? undefined : `${period} seconds`;
}
