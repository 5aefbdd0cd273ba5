/** Limits a connection to a running system: how long it may be silent and how much it may send. Each error becomes one line. */
import { addAbortSignal, type Duplex } from 'node:stream';
import { InputError } from '../../errors.ts';
import { printable } from '../../lib/format.ts';
import { redactText } from '../../lib/redact.ts';

/** Milliseconds. Sorting many rows may take minutes before the first row arrives. */
export const longestSilence = 300_000;
/** Limit of the bytes that arrive between two batches of rows. */
const maxBytes = 64 * 1024 * 1024;
export const connectTimeout = 15_000;

const longestText = 300;

type Hint = readonly [codes: RegExp, problem: string, hint: string];

const refused = (codes: RegExp, variable: string): Hint => [
  codes,
  'the login is refused',
  `Check the name and the password: in a file, or in ${variable}.`,
];

const hints: readonly Hint[] = [
  // Without a password, the driver stops by itself, with a text that begins with SASL.
  refused(/^(?:28\w{3}$|SASL)/, 'PGPASSWORD or PGPASSFILE'),
  refused(/^ER_(?:DB)?ACCESS_DENIED_ERROR$/, 'MYSQL_PWD'),
  refused(/^(?:InvalidCredentials|InappropriateAuth)\w*$/, 'IDPORT_BIND_PASSWORD'),
  [
    /^(?:StrongAuth|Confidentiality)Required\w*$/,
    'it wants an encrypted connection',
    'Give an address with ldaps://.',
  ],
  [
    /^\w*(?:CERT|VERIFY|HANDSHAKE_SSL)\w*$/,
    'its certificate is not trusted',
    'Name the file of its authority in NODE_EXTRA_CA_CERTS, and the host in the address as the certificate does.',
  ],
  [
    /^(?:42501|ER_TABLEACCESS_DENIED_ERROR|ER_COLUMNACCESS_DENIED_ERROR|InsufficientAccess\w*)$/,
    'a permission is missing',
    'Grant it; `idport sources keycloak --grants` prints the statements for Keycloak. Row-level security needs BYPASSRLS.',
  ],
  [
    /^(?:42P01|42703|3[DF]000|ER_NO_SUCH_TABLE|ER_BAD_FIELD_ERROR|ER_BAD_DB_ERROR|NoSuchObject\w*|InvalidDNSyntax\w*)$/,
    'not found',
    'Check the address: the name of the database and its schema (?schema=...), or the base in the directory.',
  ],
  [
    /^(?:Size|Time|Admin)LimitExceeded\w*$/,
    'it limits searches by this account',
    'Raise its limits there; in OpenLDAP: limits dn.exact="<bind DN>" size=unlimited time=unlimited.',
  ],
  [/^22021$/, 'a text is not UTF-8', 'Convert a dump with iconv, and give that file.'],
  [
    /^(?:57014|55P03|25P04|40001|ER_QUERY_INTERRUPTED|ER_STATEMENT_TIMEOUT|ER_LOCK_WAIT_TIMEOUT)$/,
    'the database ended the statement',
    'Raise its time limit for this account; on a replica, max_standby_streaming_delay. Then run it again.',
  ],
];

function liveProblem(host: string, error: unknown) {
  if (error instanceof InputError) return error;
  const { code, name, message } = error as Error & { code?: string | number };
  const said = (message || String(code ?? name)).trim();
  const [
    ,
    problem,
    hint = 'Check that it runs and can be reached, then run it again: nothing was written to it.',
  ] = hints.find(([codes]) => [String(code), name, said].some((text) => codes.test(text))) ?? [];
  // The text may contain anything.
  const text = /^SASL.*password must be/.test(said)
    ? 'it wants a password, and none is given'
    : printable(redactText(said).slice(0, longestText));
  return new InputError(
    'input:live',
    host,
    problem === undefined ? text : `${problem}: ${text}`,
    hint,
    error,
  );
}

export type Guard = ReturnType<typeof createGuard>;

export function createGuard(host: string, signal: AbortSignal | undefined, most = maxBytes) {
  return {
    /** The first problem. Later errors only follow from it. */
    failure: undefined as unknown,
    /** Bytes since the last complete batch. */
    arrived: 0,
    /** Arriving bytes are dropped, however many there are. */
    isDropping: false,
    /** Ends the wait for the other side, unless more arrives. */
    timer: undefined as NodeJS.Timeout | undefined,
    /** Watches a socket of the connection. With TLS there are two, one over the other. */
    watch<Socket extends Duplex>(socket: Socket) {
      if (signal !== undefined) addAbortSignal(signal, socket);
      return socket.on('data', (block: Buffer) => {
        this.timer?.refresh();
        this.arrived += block.length;
        if (this.arrived <= most || this.isDropping) return;
        this.failure ??= new InputError(
          'input:live',
          host,
          `more than ${most / 1024 / 1024} MB arrived without a whole batch of users`,
          'One of them is far too long; find it there, or check what the address leads to.',
        );
        socket.destroy();
      });
    },
    problem(error: unknown) {
      return signal?.aborted ? (signal.reason as Error) : liveProblem(host, this.failure ?? error);
    },
    /** Returns the result of `work`. Throws the problem of the connection, or an error if nothing arrives for too long. */
    async during<Value>(work: Promise<Value>) {
      const late = new Promise<never>((_, reject) => {
        const problem = `no answer for ${longestSilence / 1000} seconds`;
        this.timer = setTimeout(() => reject(new InputError('input:live', host, problem)), longestSilence);
      });
      try {
        return await Promise.race([work, late]);
      } catch (error) {
        throw (this.failure = this.problem(error));
      } finally {
        clearTimeout(this.timer);
        this.timer = undefined;
      }
    },
  };
}
