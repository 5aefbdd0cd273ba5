/** What a join knows of the users of a batch in; of each the hash that its password line had, as a text, out. */
import type { Givens } from '../../lib/stencil-task.ts';
import type { Aside } from '../source.ts';
import { isObject } from './fields.ts';
import { verdictAt, verdicts } from './joined-passwords.ts';
import type { Auth0Context } from './options.ts';
import { bcryptHead, bcryptLength, packBcrypt, packedWords, writeBcrypt } from './packed-bcrypt.ts';

/** Users with factors, with other hashes, or with lines that contradict each other are not for stencils. */
export const aside: Aside<Auth0Context> = {
  givens({ joined }): Givens | undefined {
    if (joined === undefined) return undefined;
    const { count, passwords, factors } = joined;
    return {
      count,
      most: bcryptLength,
      head: bcryptHead,
      write(place, into, at) {
        if (factors?.has(place) === true || passwords?.others.has(place) === true) return -1;
        const verdict = passwords === undefined ? 'none' : verdictAt(passwords, place);
        if (passwords === undefined || verdict === 'none') return 0;
        if (verdict !== 'joined') return -1;
        writeBcrypt(passwords.hashes, place * packedWords, into, at);
        return bcryptLength;
      },
    };
  },
  contextOf(given, { joined }, user) {
    if (joined?.passwords === undefined) return { joined: joined && { count: 1 } };
    if (given !== '' && hasOwnHash(user)) return undefined;
    const hashes = new Uint32Array(packedWords);
    const bytes = Buffer.from(given, 'latin1');
    const isHash = packBcrypt(bytes, 0, bytes.length, hashes, 0);
    const verdict = Uint8Array.of(verdicts.indexOf(isHash ? 'joined' : 'none'));
    return { joined: { count: 1, passwords: { verdicts: verdict, hashes, others: new Map() } } };
  },
};

/** It is held against the hash of the line: only where they differ there is something to tell. */
function hasOwnHash(user: unknown): boolean {
  return isObject(user) && (user['password_hash'] ?? user['custom_password_hash'] ?? null) !== null;
}
