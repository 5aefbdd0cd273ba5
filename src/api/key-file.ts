/** Reads the key file of a service user and signs assertions for the token endpoint with it. */
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { InputError } from '../errors.ts';
import { tryParseJson } from '../lib/json-value.ts';
import { keyFile } from '../wire/token.ts';

export interface ServiceKey {
  readonly keyId: string;
  readonly userId: string;
  readonly key: KeyObject;
}

/** `{"type":"serviceaccount","keyId","key":"<PEM, PKCS#1 or PKCS#8>","userId"}`, as the service hands it out once. */
export function readKeyFile(path: string, json: string): ServiceKey {
  const file = keyFile.safeParse(tryParseJson(json));
  if (file.success && file.data.type === 'application') {
    throw new InputError('input:key-file', path, 'this is the key of an application, not of a service user', {
      hint: 'Create a key (type JSON) for a service user and give that.',
    });
  }
  if (!file.success) {
    throw new InputError('input:key-file', path, 'this is not the key file of a service user', {
      hint: 'It is a JSON file with type, keyId, key and userId. For a plain token use --token-file.',
    });
  }
  const { keyId, userId, key } = file.data;
  try {
    return { keyId, userId, key: createPrivateKey(key) };
  } catch {
    throw new InputError('input:key-file', path, 'the private key in it cannot be read', {
      hint: 'Create a new key for the service user; the file must be kept as it was downloaded.',
    });
  }
}

/**
 * `issuer` must be the audience exactly; issued at `now` (ms), good for an hour, the most that the service takes.
 * The time goes a little back, since a clock may be ahead of the service's.
 */
export async function signAssertion(
  { keyId, userId, key }: ServiceKey,
  issuer: string,
  now: number,
): Promise<string> {
  const { SignJWT } = await import('jose');
  const issued = Math.floor(now / 1000) - 5;
  return new SignJWT()
    .setProtectedHeader({ alg: 'RS256', kid: keyId })
    .setIssuer(userId)
    .setSubject(userId)
    .setAudience(issuer)
    .setIssuedAt(issued)
    .setExpirationTime(issued + 3600)
    .sign(key);
}
