/** Checks the entries of a body that are not users: those for which the service would refuse the request, or crash. */
import type { Input } from '../../lib/input.ts';
import { entryTally } from '../../records/tally.ts';
import { memberTextIn } from '../../wire/member-names.ts';
import { groupOf, listNames, memberNames, organizationsIn } from '../../sources/org-data/organizations.ts';
import { guessId, readEntry } from '../../targets/bulk/entry.ts';
import { userLists } from '../../wire/org-entries.ts';
import { type ResultContext, tellRejected } from '../report/results.ts';

const lists = listNames.filter((name) => !userLists.includes(name));
const providerLists = ['oidcIdps', 'jwtIdps'];

/** Ids of the identity providers that the body brings along. */
export async function readOwnProviders(input: Input): Promise<string[]> {
  const ids: string[] = [];
  for await (const { text } of readParts(input, providerLists, [])) ids.push(providerOf(text));
  return ids.filter((id) => id !== '');
}

/**
 * Counts the entries, and reports each that cannot be imported. Without `providers`, links are not looked at. Adds to `beside`
 * the user grants, of which each is a request of import-users, and the bytes that the entries add to a bulk import.
 */
export async function checkLists(
  input: Input,
  providers: readonly string[] | undefined,
  beside: { grants: number; bytes: number },
  context: ResultContext,
) {
  for await (const { list, text, index } of readParts(input, lists, memberNames)) {
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
    } else if (lists.includes(list)) {
      const counts = entryTally(context.tally, list);
      counts.read += 1;
      counts.written += 1;
    }
  }
}

/** A body can be of either form, and an entry is as it should be where it is so in one of them. */
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

/** In one reading of the input. */
async function* readParts(input: Input, lists: readonly string[], members: readonly string[]) {
  const indexes = new Map<string, number>();
  for await (const item of organizationsIn(input.name, input.blocks(), { lists, members, batchBytes: 1 })) {
    if (item.kind === 'batch') {
      const { list } = item;
      const index = indexes.get(list) ?? 0;
      indexes.set(list, index + 1);
      yield { list, text: Buffer.from(item.bytes).toString('utf8'), index };
      // For a member of an organization that is no list: an object with that member alone.
    } else if (item.kind === 'member' && item.text !== 'null') {
      const { name, text } = item;
      yield { list: groupOf(name), text: `{${JSON.stringify(name)}:${text}}`, index: 0 };
    }
  }
}
