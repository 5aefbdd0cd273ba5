/** Checks addresses as they are typed, and shows them without secrets. */
import { UsageError } from '../errors.ts';
import { redactText } from '../lib/redact.ts';

/** The base of an instance: scheme, host, port, and a path where there is one; no slash at the end. */
export function parseBase(text: string): string {
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

/** Without query, fragment and credentials. */
export function plainUrl(text: string): string {
  const url = parseUrl(text);
  if (url === undefined) return (text.split(/[?#]/)[0] ?? '').replace(/^\/\/[^/]*@/, '//');
  return `${url.origin}${url.pathname}`;
}

export function pathOf(text: string): string {
  return parseUrl(text)?.pathname ?? text;
}

function parseUrl(text: string) {
  return URL.canParse(text) ? new URL(text) : undefined;
}
