/** Checks the entries of a body that are not users, and finds those that would make the service refuse the request or crash. */
import type { Providers } from '../read/check-record.ts';
import type { Input } from '../../lib/input.ts';
import { count, entryTally } from '../../records/tally.ts';
import { memberTextIn } from '../../wire/member-names.ts';
import { listNames, readEntries } from '../../sources/org-data/organizations.ts';
import { guessId, readEntry } from '../../targets/bulk/entry.ts';
import { entryKinds, userLists } from '../../wire/org-entries.ts';
import { type ResultContext, tellRejected } from '../report/run-outputs.ts';

const checked = entryKinds.map(({ name }) => name).filter((name) => !userLists.includes(name));
const providerLists = ['oidcIdps', 'jwtIdps'];

/** Adds the identity providers in the bodies, and those that `idps` turns into one at the target. */
export async function allProviders(
  bodies: readonly Input[],
  there: Providers,
  idps: Readonly<Record<string, string>>,
) {
  const all = new Map(there);
  for (const [own, id] of Object.entries(idps)) if (there.has(id)) all.set(own, there.get(id)!);
  for (const body of bodies)
    for await (const { text } of readEntries(body, providerLists)) all.set(providerOf(text), new Set());
  return all;
}

/**
 * Counts the entries, and reports each that cannot be imported. Without `providers`, links are not checked. Adds to `beside` the
 * user grants, each of which is a request of import-users, and the bytes that the entries add to a bulk import.
 */
export async function checkLists(
  input: Input,
  providers: Providers | undefined,
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

function findForeignLink(list: string, text: string, providers: Providers | undefined) {
  const id = providerOf(text);
  return list !== 'userLinks' || providers?.has(id) !== false
    ? undefined
    : { code: 'target:identity-provider' as const, detail: id };
}

const providerOf = (text: string) => memberTextIn(text, 'idpId');
