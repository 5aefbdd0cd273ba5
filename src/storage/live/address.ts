/**
 * Reads the address of a database or a directory. A password in an address on the command line is refused, because the list of
 * processes would show it.
 */
import { UsageError } from '../../errors.ts';

/** Login to a running system, as users give it. */
export interface Login {
  readonly address: string;
  /** Whether the address is on the command line or in a file. An address in a variable may have a password. */
  readonly isTyped: boolean;
  readonly password: string | undefined;
  /** Ends the reading at once, even if the other side is silent. */
  readonly signal?: AbortSignal;
}

export type Address = ReturnType<typeof readAddress>;

interface AddressRules {
  readonly flag: string;
  readonly example: string;
  /** Known schemes with their ports. */
  readonly ports: Readonly<Record<string, number>>;
}

/** Throws `UsageError` if the address is invalid. The message never shows it. */
export function readAddress(
  { address, isTyped, password, signal }: Login,
  { flag, example, ports }: AddressRules,
) {
  const variable = `IDPORT_${flag.toUpperCase()}`;
  const url = parseAddress(address);
  const port = ports[url?.protocol ?? ''];
  if (url === undefined || port === undefined || url.hostname === '') {
    const where = isTyped ? `--${flag}` : variable;
    throw new UsageError(
      `${where}: expected an address such as ${example}`,
      'Letters such as @ / # % in a name or a password are written %40 %2F %23 %25.',
    );
  }
  const inside = url.password;
  url.password = '';
  if (isTyped && inside !== '') {
    throw new UsageError(
      `--${flag}: a password in the address can be seen by other users of this machine`,
      `Give the address in the variable ${variable}, or the password in a file or a variable: --help=all names both.`,
    );
  }
  return {
    /** Address without its password. */
    url,
    /** `db.example.org:5432`, for messages. */
    host: `${url.hostname}:${url.port || port}`,
    /** Empty if it is not known. */
    password: password ?? decodeURIComponent(inside),
    signal,
  };
}

/**
 * Returns undefined for text that is not a URL, has a `%` that encodes nothing (in a password, it is written as `%25`), or has an
 * `@` after the host: part of a password would count as the host, and be shown. Filters of directories may have an `@`.
 */
export function parseAddress(text: string) {
  try {
    const url = new URL(text);
    // The bundler leaves out a decoding whose result is not used, although it may throw.
    const rest = decodeURIComponent(text) && url.pathname + url.search + url.hash;
    return /^[^(]*@/.test(rest) ? undefined : url;
  } catch {
    return undefined;
  }
}
