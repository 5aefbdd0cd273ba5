/** Compares metadata, links, passwords and TOTP of the users that were found: from an export, else user by user. */
import { ApiError, isRefusal } from '../../api/api-error.ts';
import { note, warning } from '../../events.ts';
import { forEachConcurrent } from '../../lib/for-each-concurrent.ts';
import { formatCounted, formatTimeAt } from '../../lib/format.ts';
import { compareLate } from './compare-late.ts';
import { type Comparison, keysOf } from './comparison.ts';
import type { ExpectedUsers } from './expected-users.ts';
import { askedFields, type AskedField } from './fields.ts';
import { concernsAll, readDetail, readExport } from './read-details.ts';

/** Compares the details. A password that the list shows is not asked for. */
export async function compareDetails(run: Comparison) {
  const { users, request } = run;
  const refused = request.withExport ? await readExports(run) : undefined;
  for (const user of users.with('exported')) users.compareSeen(user, askedFields);
  const isAsked = (user: number, field: AskedField) => {
    if (!users.has(user, 'found') || users.has(user, 'exported')) return false;
    if (field === 'password') return users.has(user, 'wants password') && !users.has(user, 'has password');
    if (field === 'TOTP') return users.has(user, 'wants TOTP');
    if (field === 'links' && users.has(user, 'machine')) return false;
    return request.details === 'all' || users.has(user, `wants ${field}`);
  };
  const plan: Plan = (user) => askedFields.filter((field) => isAsked(user, field));
  const { asked, requests } = countCalls(users, plan);
  if (asked > 0) {
    notifyCost(run, asked, requests, refused);
    await askOneByOne(run, plan);
  }
  await compareLate(run, (field) =>
    askOneByOne(run, (user) => (users.has(user, `differs ${field}`) ? [field] : [])),
  );
}

/** Returns why the service does not give all exports. Undefined if it gives them. */
async function readExports({ request: { client, orgs }, users }: Comparison) {
  let refused: ApiError | undefined;
  for (const [number, org] of orgs.entries()) {
    const error = await readExport(client, org, number, users);
    if (error !== undefined && error.verdict !== 'refused' && error.verdict !== 'too-large') throw error;
    refused ??= error;
    // A token that may not export one organization may export none. Size limits can differ between organizations.
    if (error?.verdict === 'refused') break;
  }
  return refused;
}

type Plan = (user: number) => readonly AskedField[];

async function askOneByOne(run: Comparison, plan: Plan) {
  const { users, request, lists } = run;
  const { client, orgs, concurrency, perSecond } = request;
  const { emit, signal } = lists;
  const { asked, requests } = countCalls(users, plan);
  emit({
    type: 'run:start',
    verb: 'verify',
    inputs: ['user by user'],
    records: asked,
    perSecond: perSecond === undefined ? undefined : (perSecond * asked) / requests,
  });
  /** Organizations with fields that are refused for all users. Each is reported once and not asked for again. */
  const refused = new Set<string>();
  let done = 0;
  const work = async ({ user, id }: { readonly user: number; readonly id: string }) => {
    const org = orgs[users.orgOf(user)]!;
    for (const field of plan(user)) {
      const all = `${org}\n${field}`;
      try {
        if (refused.has(all)) users.markUnknown(user, field);
        else users.compareDetail(user, field, await readDetail[field]({ client, org, id }));
      } catch (error) {
        if (!isRefusal(error)) throw error;
        users.markUnknown(user, field);
        if (!concernsAll(error) || refused.has(all)) continue;
        refused.add(all);
        const hint = error.hint === undefined ? '' : ` ${error.hint}`;
        const what = field === 'password' ? 'Whether users have a password' : `Their ${field}`;
        const text = `${what} cannot be known in organization ${org}: ${error.text || error.message}.${hint}`;
        emit(warning('verify:unknown', text));
      }
    }
    done += 1;
    emit({ type: 'run:progress', bytes: 0, records: done });
  };
  const toRead = keysOf(run, (user) => users.has(user, 'found') && plan(user).length > 0);
  await forEachConcurrent(toRead, concurrency, work, () => signal.aborted);
  signal.throwIfAborted();
}

function countCalls(users: ExpectedUsers, plan: Plan) {
  const calls = Array.from(users.with('found'), (user) => plan(user).length).filter(Boolean);
  return { asked: calls.length, requests: calls.reduce((sum, count) => sum + count, 0) };
}

function notifyCost(
  { request: { perSecond }, lists }: Comparison,
  asked: number,
  requests: number,
  refused: ApiError | undefined,
) {
  const why =
    refused === undefined ? '' : `The service gives no export (${refused.text || refused.message}). `;
  const text =
    `${why}Metadata, links, passwords and TOTP of ${formatCounted(asked, 'user')} are asked for one by one: ` +
    `${formatCounted(requests, 'request')}, ${formatTimeAt(requests, perSecond)}. --details=none skips that.`;
  lists.emit(note('verify:details', text));
}
