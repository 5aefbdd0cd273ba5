/** Reads one-time password secrets, and checks what of their parameters the target supports. */

/** Upper case without spaces, hyphens and padding, or undefined for what is not base32. */
export function canonicalBase32(text: string): string | undefined {
  const canonical = text.replace(/[\s=-]/g, '').toUpperCase();
  return /^[A-Z2-7]+$/.test(canonical) ? canonical : undefined;
}

/** Whether the text is an object of JSON with a nonce, as Supabase writes what it encrypts. */
export function isEncryptedSecret(text: string): boolean {
  const json = text.startsWith('eyJ') ? Buffer.from(text, 'base64').toString('utf8') : text;
  return json.startsWith('{') && /"(?:nonce|iv)"\s*:/.test(json);
}

/** How a one-time password works; the target knows one way only. */
export interface OtpParameters {
  readonly algorithm: string;
  readonly digits: number;
  readonly period: number;
}

/** What of the parameters the target cannot do (SHA-1, 6 digits, 30 seconds), or undefined. */
export function otpObstacle({ algorithm, digits, period }: OtpParameters): string | undefined {
  if (!/^(?:hmac)?-?sha-?1$/i.test(algorithm)) return `algorithm ${algorithm}`;
  if (digits !== 6) return `${digits} digits`;
  return period === 30 ? undefined : `${period} seconds`;
}
