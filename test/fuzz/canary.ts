/** A secret planted in inputs, to notice where it is shown. */
import type { Converted } from './convert.ts';

/** Sound as base64, base32 and in the alphabet of crypt, so that it passes for a hash, a salt and a one-time secret. */
export const canary = 'CANARYSECRET';
/** Of Keycloak and Auth0. */
const secretKeys = new Set(
  'value secretData salt hashedSaltedValue secret codes password_hash passwordHash custom_password_hash hash otp_secret recovery_code'.split(
    ' ',
  ),
);
/** The part that proves it. */
const telling = /canarysecre/i;

/**
 * Throws where a secret is shown. Nothing can be said where a change has brought the canary to a place that is not
 * secret, a user name for instance; and of a table, which has no keys by which its secrets could be told, only that no
 * failure shows it.
 */
export function refuseSecrets(input: Buffer, { failure, shown }: Converted) {
  const text = input.toString();
  const hasKeys = /^\s*[[{]/.test(text);
  if (hasKeys && telling.test(replaceSecrets(text, () => ''))) return;
  const [around] = /.{0,80}canarysecre.{0,80}/is.exec(hasKeys ? failure + shown : failure) ?? [];
  if (around !== undefined) throw new Error(`a secret is shown: ${around}`);
}

/** Puts the canary into every secret of a document, or of one in each line (also of one in a text, as Keycloak has them). */
export function plant(file: Buffer): Buffer {
  const plantIn = (text: string): string =>
    replaceSecrets(text, (secret) =>
      secret.startsWith('{')
        ? plantIn(secret)
        : secret.replace(/[A-Za-z0-9+/.]{12,}(?==*$)/, (run) => canary + run.slice(canary.length)),
    );
  return Buffer.from(plantIn(file.toString()));
}

/** Strings are secret by the last key before them, as far as the JSON goes: it may be broken. */
function replaceSecrets(text: string, replace: (secret: string) => string) {
  let isSecret = false;
  return text.replaceAll(
    /"((?:[^"\\]|\\.)*)"(\s*:)?|[\]}]/gs,
    (token, inner: string | undefined, colon: string | undefined) => {
      if (inner === undefined || colon !== undefined) isSecret = secretKeys.has(inner ?? '');
      else if (isSecret) return JSON.stringify(replace(unescaped(token)));
      return token;
    },
  );
}

function unescaped(token: string) {
  try {
    return JSON.parse(token) as string;
  } catch {
    return '';
  }
}
