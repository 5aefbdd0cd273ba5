/** A digest over a text in which the password stands: `{SALT}:{PASSWORD}`. */
import { malformed } from '../mcf/algorithm.ts';
import { type Decoded, md5Of, refuseDigest } from './decoded.ts';
import type { Bytes, DigestName } from './form.ts';

/**
 * What stands on one side of the password is a salt, whatever it is made of. Text on both sides is beyond the target's
 * MD5, and so is every other digest.
 */
export function decodePattern(
  digest: DigestName,
  pattern: string,
  salt: string,
  expected: Uint8Array | undefined,
): Decoded {
  const [before = '', after, ...more] = pattern.replaceAll('{SALT}', () => salt).split('{PASSWORD}');
  if (after === undefined || more.length > 0) return malformed('the pattern does not have one {PASSWORD}');
  if (digest === 'md5' && (before === '' || after === '')) {
    return before === '' ? md5Of('suffix', after, expected) : md5Of('prefix', before, expected);
  }
  const of: Bytes = { join: [...texts(before), 'password', ...texts(after)] };
  const title = digest === 'md5' ? 'MD5 with text on both sides of the password' : `a digest of ${digest}`;
  return refuseDigest(title, { digest, of }, expected);
}

function texts(text: string): readonly Bytes[] {
  return text === '' ? [] : [{ text }];
}
