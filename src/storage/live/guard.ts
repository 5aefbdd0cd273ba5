/** What protects a run from the other side of a connection: no silence without end, no row without end, one line for each error. */
import { InputError } from '../../errors.ts';
import { printable } from '../../lib/printable.ts';
import { redactText } from '../../lib/redact.ts';

/** A sort of many rows may take minutes before the first. */
export const longestSilence = 300_000;
/** Of what arrives between two batches of rows. */
export const mostBytes = 64 * 1024 * 1024;
/** Of a batch, roughly. */
export const batchBytes = 4 * 1024 * 1024;
export const mostRows = 1000;
export const connectTimeout = 15_000;

const longestText = 300;

/** The other side's own words, which may be anything. */
const said = (text: unknown): string => printable(redactText(String(text)).slice(0, longestText));

const hints: readonly (readonly [codes: RegExp, problem: string, hint: string])[] = [
  [
    /^(?:28\d{3}|ER_ACCESS_DENIED_ERROR|ER_DBACCESS_DENIED_ERROR)$/,
    'the login is refused',
    'Check the user in the address and the password (PGPASSWORD, PGPASSFILE, MYSQL_PWD or a password file).',
  ],
  [
    /^(?:42501|ER_TABLEACCESS_DENIED_ERROR|ER_COLUMNACCESS_DENIED_ERROR|InsufficientAccess\w*)$/,
    'a permission is missing',
    'Grant it; `idport sources keycloak --grants` prints the statements for Keycloak.',
  ],
  [
    /^(?:42P01|42703|3F000|ER_NO_SUCH_TABLE|ER_BAD_FIELD_ERROR)$/,
    'a table or a column is missing',
    'Check the name of the database and its schema (?schema=... in the address).',
  ],
  [
    /^(?:57014|ER_QUERY_INTERRUPTED|ER_STATEMENT_TIMEOUT|40001)$/,
    'the database ended the statement',
    'Raise its time limit for this account; on a replica, max_standby_streaming_delay. Then run it again.',
  ],
];

export function liveProblem(place: string, error: unknown): InputError {
  if (error instanceof InputError) return error;
  const { code, name, message } = error as NodeJS.ErrnoException;
  const known = hints.find(([codes]) => codes.test(String(code)) || codes.test(name));
  const text = said(message === '' ? (code ?? name) : message);
  return new InputError('input:live', place, known === undefined ? text : `${known[1]}: ${text}`, {
    hint:
      known?.[2] ?? 'Check that it runs and can be reached, then run it again: nothing was written to it.',
    cause: error,
  });
}

/** What `work` gives, unless the other side says nothing for so long. */
export async function withinSilence<Value>(
  place: string,
  work: Promise<Value>,
  silence = longestSilence,
): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const seconds = Math.round(silence / 1000);
    const problem = `no answer for ${seconds} seconds`;
    timer = setTimeout(() => reject(new InputError('input:live', place, problem)), silence);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

export const tooLarge = (place: string): InputError =>
  new InputError(
    'input:live',
    place,
    `more than ${mostBytes / 1024 / 1024} MB arrived without a whole batch of rows`,
    {
      hint: 'One row is far too long for a user; find it in the database, or check what the address leads to.',
    },
  );

/** How many rows to ask for next. */
export const rowsFor = (rows: number, bytes: number): number =>
  Math.max(1, Math.min(mostRows, Math.floor((rows * batchBytes) / Math.max(1, bytes))));
