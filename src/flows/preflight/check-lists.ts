/** Checks the entries of a body that are not users, and finds those that would make the service refuse the request or crash. */
import type { Input } from '../../lib/input.ts';
import { count, entryTally } from '../../records/tally.ts';
import { memberTextIn } from '../../wire/member-names.ts';
import { listNames, readEntries } from '../../sources/org-data/organizations.ts';
import { guessId, readEntry } from '../../targets/bulk/entry.ts';
import { entryKinds, userLists } from '../../wire/org-entries.ts';
import { type ResultContext, tellRejected } from '../report/run-outputs.ts';

const checked = entryKinds.map(({ name }) => name).filter((name) => !userLists.includes(name));
const providerLists = ['oidcIdps', 'jwtIdps'];

/** Returns the ids of the identity providers that the body itself contains. */
export async function readOwnProviders(input: Input) {
  const ids: string[] = [];
  for await (const { text } of readEntries(input, providerLists)) ids.push(providerOf(text));
  return ids.filter((id) => id !== '');
}

/**
 * Counts the entries, and reports each that cannot be imported. Without `providers`, links are not checked. Adds to `beside` the
 * user grants, each of which is a request of import-users, and the bytes that the entries add to a bulk import.
 */
export async function checkLists(
  input: Input,
  providers: readonly string[] | undefined,
  beside: { grants: number; bytes: number },
  context: ResultContext,
) {
  const indexes = new Map<string, number>();
  for await (const { list, text } of readEntries(input, checked)) {
    const index = indexes.get(list) ?? 0;
    count(indexes, list);
    if (list === 'userGrants') beside.grants += 1;
    const entry = readEitherForm(list, text);
    if ('text' in entry) beside.bytes += entry.size;
    const problem = 'text' in entry ? findForeignLink(list, text, providers) : entry;
    if (problem !== undefined) {
      const origin = { input: `${input.name} ${list}`, index, id: guessId(text) };
      const reported = { names: { origin, userName: '', email: '' }, list, raw: () => undefined };
      // The rejects file is for records of users.
      const told = { ...context, log: { ...context.log, reject: async () => {} } };
      await tellRejected(told, reported, problem.code, problem.detail);
    } else if (listNames.includes(list)) {
      const counts = entryTally(context.tally, list);
      counts.read += 1;
      counts.written += 1;
    }
  }
}

/** Reads an entry in either form, because a body can have either. It is valid if one of them is. */
function readEitherForm(list: string, text: string) {
  const place = { number: 0, list, orgId: 'org' };
  const found = readEntry({ ...place, firstForm: false }, text);
  if ('text' in found) return found;
  const first = readEntry({ ...place, firstForm: true }, text);
  return 'text' in first ? first : found;
}

function findForeignLink(list: string, text: string, providers: readonly string[] | undefined) {
  if (list !== 'userLinks' || providers === undefined) return undefined;
  const id = providerOf(text);
  return providers.includes(id) ? undefined : { code: 'target:identity-provider' as const, detail: id };
}

const providerOf = (text: string) => memberTextIn(text, 'idpId');
