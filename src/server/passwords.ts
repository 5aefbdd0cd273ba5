/**
 * Passwords as the service treats them at a login and when one is set: checked against any enabled
 * family, hashed with bcrypt.
 */
import { randomBytes } from 'node:crypto';
import { bcrypt } from 'hash-wasm';
import { isEnabled } from '../profiles/judge.ts';
import { isProblem } from '../records/mcf/family.ts';
import { recognise } from '../records/mcf/recognise.ts';
import { verifyPassword as verifyHash } from '../records/mcf/verify.ts';
import type { TargetProfile } from '../wire/profile.ts';

/** The real service hashes with cost 14, a second and more each; what is set here need not last that long. */
const cost = 10;

/** Bounds count at an import only: what is stored is checked whatever it costs. Throws when nothing can verify it. */
export function createPasswordCheck(profile: TargetProfile) {
  return async (password: string, hash: string): Promise<boolean> => {
    const found = recognise(hash);
    if (isProblem(found)) throw new Error(found.detail);
    if (!isEnabled(found.verifier, profile.passwordHasher)) throw new Error(`${found.verifier} is off`);
    const verdict = await verifyHash(hash, password);
    if (typeof verdict !== 'boolean') throw new Error(verdict.detail);
    return verdict;
  };
}

export function hashPassword(password: string): Promise<string> {
  return bcrypt({ password, salt: randomBytes(16), costFactor: cost, outputType: 'encoded' });
}
