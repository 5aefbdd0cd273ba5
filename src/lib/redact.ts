/**
 * Removes secrets from everything that users see: messages, logs, samples. Secrets are found by the name of their field
 * and by their form. Names are more reliable, so redact values rather than the text that is made of them.
 */

import { firstText, type JsonObject } from './json-value.ts';

export const mask = '***';

/** Deeper values are masked completely, so that a hostile input cannot exhaust the stack. */
const maxDepth = 100;

const secretWords = new Set(
  (
    'password passwords passwd pwd pass passphrase passcode secret secrets token tokens hash hashes salt pepper ' +
    'otp totp hotp credential credentials authorization cookie cookies assertion pat jwt pin'
  ).split(' '),
);

/** Names without separators between their words (`accesstoken`), and words that are secret only together. */
const secretEndings = new RegExp(
  '(?:password|passwd|secret|token|hash|salt|otp|credential|authorization|cookie|assertion' +
    '|(?:signing|private|secret|api|access|encryption|master)key' +
    '|(?:recovery|backup|email|phone|sms|verification|init|reset|passkey|invite)code)s?$' +
    '|^(?:keydetails|serviceaccountjson)$',
);

/** A field whose name ends with one of these describes a secret but does not contain it: `token_type`. */
const harmlessEndings = new Set(
  (
    'type types algorithm algorithms alg iterations rounds cost memory parallelism id ids kid endpoint required ' +
    'expiration expires expiry lifetime date at length policy count label name version encoding state status'
  ).split(' '),
);

/** Reports whether a field of this name holds a secret. Accepts camelCase, snake_case, kebab-case and header names. */
export function isSecretName(name: string) {
  const words = splitName(name);
  if (harmlessEndings.has(words.at(-1) ?? '')) return false;
  return words.some((word) => secretWords.has(word)) || secretEndings.test(words.join(''));
}

/**
 * Copies a JSON-like value without its secrets. Under a secret name, all texts and numbers are masked, at any depth. Booleans,
 * null and fields that only describe (`algorithm`, `type`, `id`) stay. Other texts are passed to `redactText`.
 */
export function redact(value: unknown): unknown {
  return redactAt(value, false, 0);
}

/** Masks parts of a text that look like secrets: hashes, tokens, keys, credentials in URLs, `password=...`. */
export function redactText(text: string) {
  let out = text;
  for (const [pattern, replacement] of patterns) {
    out =
      typeof replacement === 'string'
        ? out.replace(pattern, replacement)
        : out.replace(pattern, (...groups: string[]) => replacement(groups));
  }
  return out;
}

function redactAt(value: unknown, secret: boolean, depth: number): unknown {
  if (value === null || typeof value === 'boolean' || value === undefined) return value;
  if (depth > maxDepth) return mask;
  if (typeof value === 'string') return secret && value !== '' ? mask : redactText(value);
  if (typeof value === 'number' || typeof value === 'bigint') return secret ? mask : value;
  if (value instanceof Uint8Array) return `<${value.length} bytes>`;
  if (Array.isArray(value)) return value.map((item) => redactAt(item, secret, depth + 1));
  if (typeof value !== 'object') return mask;
  return redactObject(value, secret, depth);
}

function redactObject(value: object, secret: boolean, depth: number): unknown {
  // In `{"key": "totpSecret", "value": "..."}`, the name of the value is in another field.
  const pairName = firstText(value as JsonObject, 'key', 'name');
  const entries = Object.entries(value).map(([name, field]): [string, unknown] => {
    const harmless = harmlessEndings.has(splitName(name).at(-1) ?? '');
    const hidden =
      !harmless && (secret || isSecretName(name) || (name === 'value' && isSecretName(pairName)));
    return [name, redactAt(field, hidden, depth + 1)];
  });
  return Object.fromEntries(entries);
}

function splitName(name: string) {
  return name
    .slice(0, 200)
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '');
}

/** Every repetition is bounded or starts with a fixed character, so that matching takes linear time. */
const patterns: readonly (readonly [RegExp, string | ((groups: readonly string[]) => string)])[] = [
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g, mask],
  /** Modular crypt format; the algorithm stays. */
  [/\$([a-z\d][a-z\d-]{0,30})\$[^\s"'\\;<>]+/gi, `$$$1$$${mask}`],
  [/\{((?:S?SHA|S?MD5|CRYPT|PBKDF2|ARGON2)[\w-]{0,20})\}[^\s"'\\]+/gi, `{$1}${mask}`],
  /** JWT and JWE in their compact form. */
  [/\beyJ[\w-]{4,}(?:\.[\w-]*){2,4}/g, mask],
  [/\b(Bearer|Basic|Digest) +(?=[\w~+/.=-]*[\d_~+/.=-])[\w~+/.=-]{8,}/gi, `$1 ${mask}`],
  /** A password with characters that end the host and should have been encoded. */
  [/\b((?:postgres(?:ql)?|mysql|mariadb|rediss?):\/\/[^\s:/?#@]{0,100}):\S{1,300}@/gi, `$1:${mask}@`],
  /** Credentials in a URL. A user name without a password in the address of a database is not a secret. */
  [
    /\b(?!(?:postgres(?:ql)?|mysql|mariadb):\/\/[^\s/?#:@]+@)([a-z][a-z\d+.-]{0,20}:\/\/)[^\s/?#]+@/gi,
    `$1${mask}@`,
  ],
  [/([?&]code=)[^\s&#"'\\]+/gi, `$1${mask}`],
  /** JSON inside a text, plain or escaped. */
  [/("([\w-]{1,64})"\s{0,8}:\s{0,8}")(?:[^"\\]|\\.)+/g, hidePair],
  [/(\\"([\w-]{1,64})\\"\s{0,8}:\s{0,8}\\")[^"\\]+/g, hidePair],
  [/(\b([\w-]{1,64})=)[^\s&"',;\\]+/g, hidePair],
];

function hidePair([whole, start, name]: readonly string[]) {
  return isSecretName(name ?? '') ? `${start}${mask}` : (whole ?? '');
}

const likely = /^[\p{L}\p{M}\p{N}_][\p{L}\p{M}\p{N} _.,:@/()[\]#?&'-]{0,63}$/u;
/** Letters and digits as in hex and base64. Words of a name have few digits. */
const encoded = /(?=(?:[A-Za-z+/=]*\d){3})[A-Za-z\d+/=]{20,}/;

/** Reports whether messages may show the name of a column. In a damaged line, part of a hash can become a column name. */
export const isColumnName = (name: string) => likely.test(name) && !encoded.test(name);
