/** A secret planted in inputs, to notice where it is shown. */
import { Finding } from './target.ts';

/** Sound as base64, base32 and in the alphabet of crypt, so that it passes for a hash, a salt and a one-time secret. */
export const canary = 'CANARYSECRET';
/** The part that proves it. */
const telling = /canarysecre/i;

export function refuseCanary(where: string, text: string) {
  const found = telling.exec(text);
  if (found === null) return;
  const around = text.slice(Math.max(0, found.index - 80), found.index + 80);
  throw new Finding('secret', `a secret is shown in ${where}: ${around}`);
}

/**
 * True where a change has brought the canary to a place that is not secret, a user name for instance: then nothing can
 * be said. `secretKeys` are those under which it may be, at any depth.
 */
export function isMisplaced(value: unknown, secretKeys: ReadonlySet<string>, secret = false): boolean {
  if (typeof value === 'string') return !secret && telling.test(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(
    ([key, inner]) =>
      telling.test(key) ||
      isMisplaced(inner, secretKeys, Array.isArray(value) ? secret : secretKeys.has(key)),
  );
}

/** The values of a text: one document, or one in each line; undefined is what cannot be read. */
export function readLoosely(text: string) {
  const parse = (part: string) => {
    try {
      return JSON.parse(part) as unknown;
    } catch {
      return undefined;
    }
  };
  const whole = parse(text);
  if (whole !== undefined) return [whole];
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(parse);
}

/** The same for a text that may be broken JSON: by the last key before each string. Tables have no keys to tell by. */
export function isMisplacedIn(text: string, secretKeys: ReadonlySet<string>): boolean {
  const values = readLoosely(text);
  if (!values.includes(undefined)) return isMisplaced(values, secretKeys);
  if (!/^\s*[[{]/.test(text)) return false;
  let secret = false;
  let end = 0;
  for (const { 0: token, 1: inner = '', 2: colon = '', index } of text.matchAll(
    /"((?:[^"\\]|\\.)*)"(\s*:)?/gs,
  )) {
    if (telling.test(text.slice(end, index))) return true;
    end = index + token.length;
    if (colon !== '') secret = secretKeys.has(inner);
    if ((colon !== '' || !secret) && telling.test(inner)) return true;
  }
  return telling.test(text.slice(end));
}

/** Puts the canary into every secret of a document (also of one in a text, as Keycloak has them). */
export function plant(value: unknown, secretKeys: ReadonlySet<string>, secret = false): unknown {
  if (typeof value === 'string') return secret ? plantText(value, secretKeys) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => plant(item, secretKeys, secret));
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([key, inner]) => [key, plant(inner, secretKeys, secretKeys.has(key))]),
  );
}

function plantText(text: string, secretKeys: ReadonlySet<string>): string {
  if (!text.startsWith('{')) {
    return text.replace(/[A-Za-z0-9+/.]{12,}(?==*$)/, (run) => canary + run.slice(canary.length));
  }
  try {
    return JSON.stringify(plant(JSON.parse(text), secretKeys));
  } catch {
    return text;
  }
}

/** The same for a whole file: one document, or one in each line. */
export function plantFile(file: Buffer, secretKeys: ReadonlySet<string>) {
  const text = file.toString();
  const values = readLoosely(text);
  if (values.includes(undefined)) return file;
  const indent = text.startsWith('{\n') && values.length === 1 ? 2 : undefined;
  return Buffer.from(
    values.map((value) => JSON.stringify(plant(value, secretKeys), undefined, indent)).join('\n'),
  );
}
