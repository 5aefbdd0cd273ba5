/** Opens Auth0's files, whatever their form, as batches of raw records in order. */
import { InputError } from '../../errors.ts';
import type { Input } from '../../lib/input.ts';
import { isObject, type JsonObject } from '../../lib/json-value.ts';
import { linesIn } from '../../json/line-values.ts';
import { parseBatch, releaseElements } from '../elements.ts';
import { createPageCount } from '../table/forms/form.ts';
import { warning, type Notify } from '../../notice.ts';
import type { RawBatch, RawElements } from '../source.ts';
import { type Container, put } from '../nested-titles.ts';
import { openRows } from '../table/forms/open.ts';

export type UserBatch = Pick<RawBatch, 'input' | 'elements'>;

/** Kinds of files, named like their flags: `--users`, `--passwords`, `--mfa`. */
type RecordKind = 'users' | 'passwords' | 'mfa';

/**
 * Yields the users. Throws `InputError` for another kind of file. Notifies if API pages have fewer users than they say.
 */
export async function* scanUsers(inputs: readonly Input[], notify: Notify, batchBytes?: number) {
  let isEmpty = true;
  const count = createPageCount();
  for (const input of inputs) {
    for await (const batch of batchesOf(input, 'users', count, batchBytes)) {
      isEmpty = false;
      yield batch;
    }
  }
  count.finish(inputs, 'Auth0 shows no more than 1,000 this way, an export job shows all users', notify);
  if (!isEmpty) return;
  const names = inputs.map(({ name }) => name).join(', ');
  notify(warning('input:no-users', `no users in ${names}`));
}

/**
 * Reads the records of files. `line` is the line number or, in a list, the position, both from 1. Throws `InputError`
 * for a file that was given with the wrong flag.
 */
export async function readNumbered(
  inputs: readonly Input[],
  kind: RecordKind,
  take: (record: unknown, input: string, line: number) => void,
) {
  for (const input of inputs) {
    let last = 0;
    for await (const batch of batchesOf(input, kind)) {
      const numberOf = numbersOf(batch.elements, last);
      let place = 0;
      for (const record of parseBatch(batch)) {
        last = numberOf(place++);
        take(record, input.name, last);
      }
      releaseElements(batch.elements);
    }
  }
}

function numbersOf(elements: RawElements, before: number) {
  if (elements.form !== 'lines') return (place: number) => before + 1 + place;
  const lines = linesIn(elements);
  return (place: number) => lines[place]!.line;
}

/** Ids and addresses, by which a table is known. */
const identifying = ['user_id', 'email'];

/** Throws `InputError` if the file is neither JSON nor a table with an id or an address. */
async function openFile(input: Input, batchBytes?: number) {
  const rows = await openRows({
    input,
    source: { null: [] },
    named: new Set([...identifying, 'identities']),
    // Exports of Auth0 put an apostrophe before each text.
    csv: { named: new Set(fieldNames.values()), nameOf: fieldOf, marked: identifying, nested },
    table: undefined,
    notify: () => {},
    batchBytes,
  });
  const { form, columns = [] } = rows;
  if (form === 'json' || (form === 'csv' && identifying.some((column) => columns.includes(column))))
    return rows;
  await rows.close();
  throw new InputError(
    'input:unknown-form',
    input.name,
    'it is neither JSON nor a table with a row of titles',
    'Give an export of Auth0: JSON lines, a JSON list, or a CSV whose first row has user_id or email.',
  );
}

async function* batchesOf(input: Input, kind: RecordKind, count = createPageCount(), batchBytes?: number) {
  const rows = await openFile(input, batchBytes);
  let isFirst = true;
  try {
    for await (const elements of rows.batches) {
      const batch = { input: input.name, elements };
      if (isFirst) expectKind(batch, kind);
      isFirst = false;
      count.add(elements);
      yield batch;
    }
    if (rows.pages !== undefined) count.close(rows.pages());
  } finally {
    await rows.close();
  }
}

const nouns: Readonly<Record<RecordKind, string>> = {
  users: 'users',
  passwords: 'lines of the password export',
  mfa: 'lines of the multi-factor export',
};

/**
 * Throws if the first record shows another kind of file. A record that shows nothing, such as a broken one, is left to
 * the reader.
 */
function expectKind(batch: UserBatch, expected: RecordKind) {
  const [first] = parseBatch(batch);
  const found = kindOf(first);
  if (found === undefined || found === expected) return;
  throw new InputError(
    'input:wrong-file',
    batch.input,
    `it holds ${nouns[found]}, not ${nouns[expected]}`,
    `Give this file with --${found}.`,
  );
}

function kindOf(value: unknown): RecordKind | undefined {
  if (!isObject(value)) return undefined;
  if ('passwordHash' in value && !('user_id' in value)) return 'passwords';
  if ('user_id' in value && 'type' in value && !('email' in value)) return 'mfa';
  return 'user_id' in value || 'identities' in value ? 'users' : undefined;
}

const fields =
  'user_id email email_verified username given_name family_name name nickname phone_number phone_verified locale blocked connection provider picture created_at updated_at last_login last_ip logins_count password_hash';

/** Fields by the letters and digits of a title, in lower case. */
const fieldNames = new Map([
  ...fields.split(' ').map((field) => [field.replaceAll('_', ''), field] as const),
  ['id', 'user_id'],
  ['emailaddress', 'email'],
  ['firstname', 'given_name'],
  ['lastname', 'family_name'],
  ['fullname', 'name'],
  ['phone', 'phone_number'],
  ['phonenumberverified', 'phone_verified'],
]);

const fieldOf = (title: string) => fieldNames.get(title.toLowerCase().replace(/[^a-z0-9]/g, '')) ?? title;

/** Columns in which titles of a table are places: `identities[0].connection`. */
const nested = ['identities', 'user_metadata', 'app_metadata', 'multifactor'];

/** Returns a record with Auth0's names of fields, which its extension for exports writes in another way. */
export function userOf(record: JsonObject) {
  const { user_id: id, email, identities } = record;
  if (id !== undefined || email !== undefined || identities !== undefined) return record;
  const user = Object.create(null) as Container;
  for (const title in record) put(user, fieldOf(title), nested, record[title]);
  return user;
}
