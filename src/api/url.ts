/** Checks addresses that users type, and shows them without secrets. */
import { UsageError } from '../errors.ts';
import { redactText } from '../lib/redact.ts';

/** Returns the base of an instance: scheme, host, port and path, without a slash at the end. Throws `UsageError`. */
export function parseBase(text: string) {
  const url = parseUrl(text);
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(
      `--url is not an address: ${redactText(text)}`,
      'Write it with its scheme, for example https://example.zitadel.cloud',
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw new UsageError(
      '--url holds a user name or a password',
      'Give the token with --token-file or IDPORT_TOKEN, and the address without it.',
    );
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** Returns the address without query, fragment and credentials. */
export function plainUrl(text: string) {
  const url = parseUrl(text);
  if (url === undefined) return (text.split(/[?#]/)[0] ?? '').replace(/^\/\/[^/]*@/, '//');
  return `${url.origin}${url.pathname}`;
}

export function pathOf(text: string) {
  return parseUrl(text)?.pathname ?? text;
}

function parseUrl(text: string) {
  return URL.canParse(text) ? new URL(text) : undefined;
}
