/** The instance's signing key (RS256), created when it is first needed. */
import { createHash, generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import { CompactSign, exportJWK } from 'jose';

export type WebKey = ReturnType<typeof createWebKey>;

export function createWebKey() {
  let pair: ReturnType<typeof makePair> | undefined;
  const signingPair = () => (pair ??= makePair());
  return {
    /** Returns a compact JWS of the text. */
    async sign(payload: string) {
      const { privateKey, kid } = await signingPair();
      return new CompactSign(Buffer.from(payload))
        .setProtectedHeader({ alg: 'RS256', kid, typ: 'JWT' })
        .sign(privateKey);
    },
    /** Returns the key set that verifies signatures, as `/oauth/v2/keys` serves it. */
    async keySet() {
      const { publicKey, kid } = await signingPair();
      return { keys: [{ ...(await exportJWK(publicKey)), use: 'sig', alg: 'RS256', kid }] };
    },
  };
}

async function makePair() {
  const { privateKey, publicKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  const der = publicKey.export({ type: 'spki', format: 'der' });
  return { privateKey, publicKey, kid: createHash('sha256').update(der).digest('hex').slice(0, 18) };
}
