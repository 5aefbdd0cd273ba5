/** Creates the identity providers of a source at the target. Existing ones with the same name are left as they are. */
import { hash } from 'node:crypto';
import { dirname } from 'node:path';
import { isRefusal } from '../../api/api-error.ts';
import type { Client } from '../../api/client.ts';
import { UsageError } from '../../errors.ts';
import { type RunContext, note, warning } from '../../events.ts';
import { findJournals, loadJournal, readAttempts } from '../../journal/load.ts';
import type { CreatedResource, JournalHeader } from '../../journal/lines.ts';
import type { Lock } from '../../lib/lock.ts';
import { formatCount, formatCounted, shellWord } from '../../lib/format.ts';
import type { Notice, Notify } from '../../notice.ts';
import { foldName } from '../../records/text.ts';
import type { SourceIdp } from '../../sources/source.ts';
import type { Resource } from '../../records/resource.ts';
import { providerKinds } from '../../wire/identity-providers.ts';
import { type ListContext, type ListLook, waitUntil } from '../reconcile/list-lag.ts';
import { lockRun, openJournal } from '../runs/open-journal.ts';
import { createSome } from './create.ts';
import { type Found, kinds } from './kinds.ts';
import { count } from '../../records/tally.ts';

/** Written instead of a client secret that was not given. */
const placeholder = 'set-the-client-secret';

interface IdpsToCreate {
  readonly client: Client;
  readonly org: string;
  readonly idps: readonly SourceIdp[];
  /** Returns an empty text if there is no secret. Then a placeholder is written. */
  readonly secretOf: (idp: SourceIdp) => Promise<string>;
  readonly journal: { readonly path: string; readonly typed: string; readonly names: readonly string[] };
  readonly dryRun: boolean;
  readonly notify: Notify;
}

type Makeable = SourceIdp & { readonly made: NonNullable<SourceIdp['made']> };
const isMakeable = (idp: SourceIdp): idp is Makeable => idp.made !== undefined && canName(idp);

/** Reports whether the type fits. Older versions of the service report none. */
const isOfKind = (type = '', { made }: Makeable) =>
  type === '' || type === 'PROVIDER_TYPE_UNSPECIFIED' || type === providerKinds[made.kind].type;

/**
 * The file of `--idp-map` must be able to hold the alias. Keycloak itself refuses `#`, `;` and `=`
 * (K:ReservedCharValidator.java).
 */
const canName = ({ alias }: SourceIdp) => /^[^\s#]/.test(alias) && !oddPart.test(alias);
const oddPart = /[=;\p{Cc}\p{Surrogate}]|\s$/u;

/** Throws `ApiError`, or `UsageError` if another run holds the journal or an alias stands for two providers. */
export async function createIdps(request: IdpsToCreate, context: RunContext) {
  const { dryRun, notify, journal } = request;
  const idps = withOwnNames(eachOnce(request.idps));
  // Lock before reading what exists: two concurrent runs would create each provider twice.
  const lock = dryRun ? undefined : lockRun(journal, context);
  try {
    const known = await listKnown(request, idps, context);
    /** Ids at the target by alias. In a dry run, the alias stands for an id that does not exist yet. */
    const ids = new Map<string, string>();
    idps.flatMap(describeLost).forEach(notify);
    const toMake: Makeable[] = [];
    for (const idp of idps.filter(isMakeable)) {
      const named = known.filter(({ name }) => foldName(name) === foldName(idp.name));
      const found = named.find(({ type }) => isOfKind(type, idp)) ?? named[0];
      if (found === undefined) toMake.push(idp);
      else if (!isOfKind(found.type, idp)) {
        const text = `${quote(idp)} is not created: the target has one of this name (${found.id}), of another kind (${found.type}). Rename it there, or name it with --idp=${shellWord(`${idp.alias}=${found.id}`)}.`;
        notify(warning('idp:refused', text));
      } else {
        ids.set(idp.alias, found.id);
        const text = `${quote(idp)} is at the target already (${found.id}) and stays as it is, with its secret.`;
        notify(note('idp:existed', text));
      }
    }
    const created =
      lock === undefined || toMake.length === 0
        ? toMake.map(({ alias }) => [alias, alias] as const)
        : await makeAll(request, toMake, { ...context, lock });
    for (const [alias, id] of created) ids.set(alias, id);
    /** Number of providers that the service refused or that cannot be created. */
    const left = idps.length - ids.size;
    const counts = `${formatCount(created.length)} ${dryRun ? 'would be created' : 'created'}, ${formatCount(ids.size - created.length)} there already, ${formatCount(left)} not created`;
    const text = `${formatCounted(idps.length, 'identity provider')} in the source: ${counts}.`;
    notify(note('idp:created', text));
    return { ids, missing: left };
  } finally {
    lock?.release();
  }
}

/**
 * Lists the providers at the target. Providers created by runs with a journal in the same folder are read by id. Providers that
 * such runs may have created without reading the answer are waited for, until ten minutes after the request.
 */
async function listKnown(
  { client, org, journal, dryRun }: IdpsToCreate,
  idps: readonly SourceIdp[],
  context: RunContext,
) {
  const sought = new Set(dryRun ? [] : idps.map(({ name }) => foldName(name)));
  const made: string[] = [];
  const unsure = new Map<string, number>();
  for (const { path, header } of await findJournals(dirname(journal.path))) {
    if (header.verb !== 'create-idps' || header.url !== client.url || header.orgs[0] !== org) continue;
    made.push(...(await readMadeIds(path)).values());
    for (const {
      entries: [entry = 0],
      at,
    } of (await loadJournal(path)).open) {
      const name = foldName(header.creates?.[entry]?.[3] ?? '');
      if (sought.has(name)) unsure.set(name, at);
    }
  }
  return listIdps({ ...context, client, wait: { left: Infinity } }, org, made, unsure);
}

/** Waits at most as long as the context allows. `unsure`: times of the requests with lost answers, by folded name. */
export async function listIdps(
  context: ListContext,
  org: string,
  made: readonly string[],
  unsure: Map<string, number>,
) {
  const { client } = context;
  let known: Found[] = [];
  const look = async (): Promise<ListLook> => {
    known = await kinds.idp.list(client, { org, parent: '', made });
    for (const { name } of known) unsure.delete(foldName(name));
    return { isShown: unsure.size === 0, time: -Infinity };
  };
  const left = Math.max(...unsure.values()) + longestLag - client.serverNow();
  const wait = { left: Math.min(left, context.wait.left) };
  await waitUntil({ ...context, wait }, { name: `${kinds.idp.one}s`, look, written: async () => Infinity });
  return known;
}

const longestLag = 10 * 60_000;

/** Returns the ids of the providers that a run created, by their position in its journal. */
export async function readMadeIds(path: string) {
  const ids = new Map<number, string>();
  for await (const { outcome } of readAttempts(path))
    for (const [entry, id] of outcome?.ids ?? []) ids.set(entry, id);
  return ids;
}

/**
 * Removes repeated aliases, since links of users name only an alias. Throws `UsageError` if realms have different providers under
 * one.
 */
function eachOnce(idps: readonly SourceIdp[]) {
  const byAlias = new Map<string, SourceIdp>();
  for (const idp of idps.filter(canName)) {
    const other = byAlias.get(idp.alias) ?? idp;
    if (JSON.stringify(other.made) !== JSON.stringify(idp.made)) {
      throw new UsageError(
        `two identity providers have the alias ${JSON.stringify(idp.alias)}`,
        'They are of different realms: choose one with --realm-name. Nothing was sent.',
      );
    }
    byAlias.set(idp.alias, other);
  }
  return [...byAlias.values(), ...idps.filter((idp) => !canName(idp))];
}

/** Creates the providers. Each is in the journal before its request is sent. */
async function makeAll(
  { client, org, secretOf, notify, journal: { path, typed, names } }: IdpsToCreate,
  idps: readonly Makeable[],
  { lock, ...context }: RunContext & { readonly lock: Lock },
) {
  // Ask for all secrets before anything is sent.
  const secrets: string[] = [];
  for (const idp of idps) secrets.push(await secretOf(idp));
  const creates = idps.map(({ alias, name }): CreatedResource => ['idp', org, alias, name]);
  const header: JournalHeader = {
    verb: 'create-idps',
    input: { names, bytes: 0, sha256: hash('sha256', JSON.stringify(creates)) },
    url: client.url,
    orgs: [org],
    plan: [['idps', idps.length]],
    settings: {},
    startedAt: client.serverNow(),
    creates,
  };
  // Providers of a previous run are found by name. Its journal stays for undo, and this run gets the next one.
  const journal = await openJournal({ path, typed, resume: false, fresh: true, lock }, header, context);
  const ids: (readonly [string, string])[] = [];
  const lists = { ...context, client, wait: { left: 0 } };
  try {
    for (const [entry, idp] of idps.entries()) {
      const secret = secrets[entry]!;
      const attempt = await journal.intend({ at: client.serverNow(), entries: [entry], users: [] });
      const resource = toResource(org, idp, secret);
      const made = await createSome(lists, [resource], resource).catch(async (error: unknown) => {
        // Go on with the others if the service refuses one. Without the permission it would refuse all.
        if (!isRefusal(error) || error.status === 403) throw error;
        await journal.settle(attempt, { failed: [{ entry, code: 'idp:refused', detail: error.text }] });
        notify(warning('idp:refused', `${quote(idp)} is not created: ${error.text}`));
        return undefined;
      });
      if (made === undefined) continue;
      const { id } = made;
      await journal.settle(attempt, { created: [entry], ids: [[entry, id]] });
      ids.push([idp.alias, id]);
      if (secret === '') {
        const text = `${quote(idp)} (${id}) has a placeholder as its client secret: users cannot log in with it until you set the secret.`;
        notify(warning('idp:no-secret', text));
      }
    }
    await journal.finish(client.serverNow());
    return ids;
  } finally {
    journal.close();
  }
}

/** Returns the provider as the service accepts it. */
const toResource = (org: string, { name, made }: Makeable, secret: string): Resource => ({
  kind: 'idp',
  org,
  parent: '',
  id: '',
  name,
  type: made.kind,
  settings: { ...made.settings, clientSecret: secret || placeholder },
});

/** Makes names unique. The service allows several providers with one name, but here the name is how they are found again. */
function withOwnNames(idps: readonly SourceIdp[]) {
  const counts = new Map<string, number>();
  for (const { name } of idps) count(counts, foldName(name));
  return idps.map((idp) =>
    (counts.get(foldName(idp.name)) ?? 0) > 1 && idp.name !== idp.alias
      ? { ...idp, name: `${idp.name} (${idp.alias})` }
      : idp,
  );
}

function describeLost(idp: SourceIdp): Notice[] {
  if (!canName(idp)) {
    const text = `${quote(idp)} is not created: --idp-map cannot hold its alias, so no link to it can move.`;
    return [warning('idp:not-migrated', text)];
  }
  const what = idp.lost.join('; ');
  if (idp.made === undefined) {
    const text = `${quote(idp)} is not created: ${what}. Make it by hand, and name it with --idp=${shellWord(`${idp.alias}=configId`)}.`;
    return [warning('idp:not-migrated', text)];
  }
  return what === ''
    ? []
    : [note('idp:lost', `Not migrated from identity provider ${JSON.stringify(idp.alias)}: ${what}.`)];
}

const quote = ({ alias }: SourceIdp) => `Identity provider ${JSON.stringify(alias)}`;
