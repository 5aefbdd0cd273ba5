/** Reads the address of a database or a directory. A password in it would stand in the list of processes: it is refused. */
import { UsageError } from '../../errors.ts';

export interface Address {
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
  text: string,
  password: string | undefined,
  { flag, example, ports }: AddressRules,
): Address {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const port = ports[url?.protocol ?? ''];
  if (url === undefined || port === undefined || url.hostname === '') {
    throw new UsageError(`${flag}: expected an address such as ${example}`);
  }
  if (url.password !== '') {
    throw new UsageError(`${flag}: a password in the address can be seen by other users of this machine`, {
      hint: `Leave it out, and give ${flag}-password-file=<file> or the variable of the database's own tools (PGPASSWORD, PGPASSFILE, MYSQL_PWD).`,
    });
  }
  return { url, place: `${url.hostname}:${url.port || port}`, password };
}
