/** Reads the address of a database or a directory. A password that was typed would stand in the list of processes: it is refused. */
import { UsageError } from '../../errors.ts';

/** What leads to a running system, as users give it. */
export interface Login {
  readonly address: string;
  /** On the command line or in a file, and not in a variable, which may have a password. */
  readonly isTyped: boolean;
  readonly password: string | undefined;
}

export interface Address {
  /** Without its password. */
  readonly url: URL;
  /** `db.example.org:5432`, for messages. */
  readonly place: string;
  readonly password: string | undefined;
}

export interface AddressRules {
  readonly flag: string;
  readonly example: string;
  /** Known schemes, each with its port. */
  readonly ports: Readonly<Record<string, number>>;
}

/** Throws `UsageError` for what is no such address; the message never shows it. */
export function readAddress(
  { address, isTyped, password }: Login,
  { flag, example, ports }: AddressRules,
): Address {
  const variable = `IDPORT_${flag.toUpperCase()}`;
  const url = URL.canParse(address) && isDecodable(address) ? new URL(address) : undefined;
  const port = ports[url?.protocol ?? ''];
  if (url === undefined || port === undefined || url.hostname === '') {
    const where = isTyped ? `--${flag}` : variable;
    throw new UsageError(`${where}: expected an address such as ${example}`, {
      hint: 'Letters such as @ / # % in a name or a password are written %40 %2F %23 %25.',
    });
  }
  const inside = url.password;
  url.password = '';
  if (isTyped && inside !== '') {
    throw new UsageError(`--${flag}: a password in the address can be seen by other users of this machine`, {
      hint: `Give the address in the variable ${variable}, or the password in a file (idport --help names the flag) or in the variable of the database's own tools (PGPASSWORD, PGPASSFILE, MYSQL_PWD).`,
    });
  }
  const known = password ?? (inside === '' ? undefined : decodeURIComponent(inside));
  return { url, place: `${url.hostname}:${url.port || port}`, password: known };
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
