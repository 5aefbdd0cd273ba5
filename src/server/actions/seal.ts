/** A payload and a target in, the body that goes out: plain JSON, signed as a JWT, or that encrypted for the target. */
import { createPublicKey } from 'node:crypto';
import { CompactEncrypt } from 'jose';
import type { WebKey } from '../web-key.ts';
import type { TargetKeyRow, TargetRow } from './registry.ts';

export interface Sealer {
  /** Throws when a payload is to be encrypted and the target has no active key. */
  seal(payload: string, target: TargetRow, keys: readonly TargetKeyRow[], now: number): Promise<string>;
}

export function createSealer({ sign }: Pick<WebKey, 'sign'>): Sealer {
  return {
    async seal(payload, target, keys, now) {
      if (target.payloadType === 'PAYLOAD_TYPE_JWT') return sign(payload);
      if (target.payloadType !== 'PAYLOAD_TYPE_JWE') return payload;
      const key = keys.find((one) => one.active && (one.expires === 0 || one.expires > now));
      if (key === undefined) throw new Error('no active public key for the target');
      const publicKey = createPublicKey(key.publicKey);
      const alg = publicKey.asymmetricKeyType === 'rsa' ? 'RSA-OAEP-256' : 'ECDH-ES+A256KW';
      return new CompactEncrypt(Buffer.from(await sign(payload)))
        .setProtectedHeader({ alg, enc: 'A256GCM', kid: key.id, typ: 'JWT', cty: 'JWT' })
        .encrypt(publicKey);
    },
  };
}
