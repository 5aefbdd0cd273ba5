/** Texts that show their own form. Any other text needs a named form. */
import { ambiguous } from '../../mcf/algorithm.ts';
import { type Pattern, toRegExp, type HashDecoder, type HashRow } from '../row.ts';
import { mediawikiRows, nextcloudRows } from './applications.ts';
import { ldapRows } from './directories.ts';
import { djangoRows, identityRows, jakartaRows, springRows, werkzeugRows } from './frameworks.ts';
import { mcf } from './strings.ts';

/** The decoders of these texts. The first one that fits is used. */
const selfDescribing: readonly (HashRow & { readonly hash: Pattern; readonly name: string })[] = [
  { name: 'mcf', hash: '[<:bcrypt_sha256|U>]$<>', as: [mcf] },
  { name: 'django', hash: /^(?:pbkdf2_sha\d+|bcrypt|argon2|scrypt|sha1|md5)\$/, as: djangoRows },
  { name: 'werkzeug', hash: /^(?:pbkdf2:sha\d+|scrypt:\d+|(?:sha\d+|md5)\$)/, as: werkzeugRows },
  {
    name: 'spring',
    hash: /^\{(?:noop|bcrypt|sha256|SHA-1|SHA-256|MD4|ldap|(?:argon2|pbkdf2|scrypt)(?:@SpringSecurity_v5_8)?)\}(?!\d+\$)|^\{MD5\}(?:\{|[0-9a-f]{32}$)/,
    as: springRows,
  },
  { name: 'ldap', hash: /^\{[\w.+-]+\}/, as: ldapRows },
  { name: 'aspnet-identity', hash: /^AQAAAA[\w+/]{60,}={0,2}$/, as: identityRows },
  { name: 'mediawiki', hash: ':<:pbkdf2|argon2|bcrypt|A|B>:<>', as: mediawikiRows },
  { name: 'nextcloud', hash: '<:1|2|3>|$<>', as: nextcloudRows },
  { name: 'jakarta', hash: 'PBKDF2WithHmacSHA<:#>:<>', as: jakartaRows },
];

export const autoRows: readonly HashRow[] = [
  ...selfDescribing,
  // The refusal says what the digits may be.
  { hash: '<:hex>' },
  {
    hash: '<:hex32>:<:hex128>',
    refuse: ambiguous('a salt and a key, as Better Auth and Lucia write them; name its format'),
  },
  { hash: '<:hex32>:<>', refuse: ambiguous('an MD5 digest and a salt; name its format') },
  {
    hash: /^[\w+/-]{16,}={0,2}$/,
    refuse: ambiguous('base64 that does not say how it was made; name its format'),
  },
  { refuse: ambiguous('a text that does not say how it was made; name its format') },
];

/** Returns the name of the decoder that `auto` would use, or undefined. */
export function recogniseForm(hash: string) {
  return selfDescribing.find((row) => toRegExp(row.hash).test(hash.trim()))?.name;
}

export const auto = {
  auto: {
    title: 'any form that says itself what it is',
    rows: autoRows,
    converts: '`$…`, `{SCHEME}…`, `pbkdf2_sha256$…`, `AQAAAA…`',
    asksForAlterations: true,
  },
} satisfies Record<string, HashDecoder>;
