/** Texts that say themselves of which form they are; anything else has to be named. */
import { decodeMediawiki, decodeNextcloud } from './applications.ts';
import { ambiguous, type Decoded, type HashParts } from './decoded.ts';
import { decodeDirect } from './direct.ts';
import { isHex } from '../text.ts';
import { decodeAspNet, decodeDjango, decodeJakarta, decodeWerkzeug } from './frameworks.ts';
import { decodeLdap } from './ldap.ts';
import { decodeSpring } from './spring.ts';

interface SelfDescribing {
  /** The decoder that reads it. */
  readonly name: string;
  readonly pattern: RegExp;
  readonly decode: (parts: HashParts) => Decoded;
}

/** The first that fits reads the text. */
const selfDescribing: readonly SelfDescribing[] = [
  { name: 'mcf', pattern: /^(?:\$|bcrypt_sha256\$|U\$)/, decode: ({ hash }) => decodeDirect(hash) },
  { name: 'django', pattern: /^(?:pbkdf2_sha\d+|bcrypt|argon2|scrypt|sha1|md5)\$/, decode: decodeDjango },
  { name: 'werkzeug', pattern: /^(?:pbkdf2:sha\d+|scrypt:\d+|(?:sha\d+|md5)\$)/, decode: decodeWerkzeug },
  {
    name: 'spring',
    pattern:
      /^\{(?:noop|bcrypt|sha256|SHA-1|SHA-256|MD4|ldap|(?:argon2|pbkdf2|scrypt)(?:@SpringSecurity_v5_8)?)\}(?!\d+\$)|^\{MD5\}(?:\{|[0-9a-f]{32}$)/,
    decode: decodeSpring,
  },
  { name: 'ldap', pattern: /^\{[\w.+-]+\}/, decode: decodeLdap },
  { name: 'aspnet-identity', pattern: /^AQAAAA[\w+/]{60,}={0,2}$/, decode: decodeAspNet },
  { name: 'mediawiki', pattern: /^:(?:pbkdf2|argon2|bcrypt|A|B):/, decode: decodeMediawiki },
  { name: 'nextcloud', pattern: /^[123]\|\$/, decode: decodeNextcloud },
  { name: 'jakarta', pattern: /^PBKDF2WithHmacSHA\d+:/, decode: decodeJakarta },
];

export function decodeAuto({ hash }: HashParts): Decoded {
  const text = hash.trim();
  const known = selfDescribing.find(({ pattern }) => pattern.test(text));
  if (known !== undefined) return known.decode({ hash: text });
  // Says what the digits may be.
  return isHex(text) ? decodeDirect(text) : ambiguous(`${describe(text)}; name its format`);
}

/** The name of the decoder that `auto` would take, or undefined. */
export function recogniseForm(hash: string): string | undefined {
  return selfDescribing.find(({ pattern }) => pattern.test(hash.trim()))?.name;
}

function describe(text: string): string {
  if (/^[0-9a-f]{32}:[0-9a-f]{128}$/.test(text))
    return 'a salt and a key, as Better Auth and Lucia write them';
  if (/^[0-9a-f]{32}:/.test(text)) return 'an MD5 digest and a salt';
  if (/^[\w+/-]{16,}={0,2}$/.test(text)) return 'base64 that does not say how it was made';
  return 'a text that does not say how it was made';
}
