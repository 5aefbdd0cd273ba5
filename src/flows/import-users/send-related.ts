/** Sends the metadata, links and grants that a body has in lists of their own, once its users are there. */
import { search } from '../../api/search.ts';
import type { Call } from '../../api/client.ts';
import type { Input } from '../../lib/input.ts';
import { forEachConcurrent } from '../../lib/for-each-concurrent.ts';
import { valueAt } from '../../compact/run-length-list.ts';
import { TextTable } from '../../compact/text-table.ts';
import { count } from '../../records/tally.ts';
import { listTimeOf, waitUntilShown, type ListLook } from '../reconcile/list-lag.ts';
import type { Note } from '../../records/user.ts';
import { listIdpLinksResponse } from '../../wire/user-grant.ts';
import { isInShard } from '../source/shard.ts';
import { readUserGrants, type BodyUserGrant } from '../../sources/org-data/projects.ts';
import { listUserGrants } from '../projects/calls.ts';
import { readLinkCalls, readMetadataCalls, type LinkCall } from '../source/related-entries.ts';
import { carryOut, metadataCall } from './follow-up.ts';
import { grantKey } from './projects.ts';
import { grantNumber, linkNumber, metadataNumber, type UsersRun } from './run.ts';

/** Numbers of users by their id in the source, the first of each id: about 22 bytes a user. */
export class OldIds {
  readonly #table = new TextTable();

  /** To be called with every user, in the order of their numbers. */
  add(oldId: string): void {
    if (oldId === '' || this.#table.find(oldId) !== -1) this.#table.skip();
    else this.#table.add(oldId);
  }

  /** Undefined for an id that no user of the source has. */
  find(oldId: string): number | undefined {
    const number = this.#table.find(oldId);
    return number === -1 ? undefined : number;
  }
}

interface RelatedCall {
  readonly index: number;
  readonly oldId: string;
  readonly send: (id: string, org: string) => Promise<Note | undefined>;
}

/** Users that were there before this run are left as they are. */
export async function sendRelated(run: UsersRun, inputs: readonly Input[], oldIds: OldIds): Promise<void> {
  const work = async ({ index, oldId, send }: RelatedCall): Promise<void> => {
    const user = oldIds.find(oldId);
    const id = user === undefined ? undefined : run.ids.get(user);
    if (id === undefined && (user !== undefined || !isInShard(run.shard, oldId))) return;
    const note: Note | undefined =
      id === undefined
        ? { code: 'single:unknown-owner' }
        : await send(id, valueAt(run.orgs, user!) ?? run.org ?? '');
    if (note === undefined) return;
    count(run.tally.reasons, note.code);
    const origin = { input: inputs[0]?.name ?? '', index, id: oldId };
    await run.log.note({ origin, userName: '', email: '', outcome: 'noted', reasons: [note] });
  };
  try {
    await forEachConcurrent(callsOf(run, inputs), run.concurrency, work, () => run.signal.aborted);
  } finally {
    await run.journal.saved();
  }
}

async function* callsOf(run: UsersRun, inputs: readonly Input[]): AsyncGenerator<RelatedCall> {
  let index = 0;
  for (const input of inputs) {
    for await (const { userId, metadata } of readMetadataCalls(input)) {
      const entry = metadataNumber(run.plan, index);
      const send = async (id: string, org: string): Promise<Note | undefined> =>
        run.followUp
          ? carryOut(run, { entry, call: metadataCall(org, id, metadata), code: 'single:metadata' })
          : { code: 'single:metadata' };
      yield { index: index++, oldId: userId, send };
    }
  }
  index = 0;
  for (const input of inputs) {
    for await (const link of readLinkCalls(input)) {
      const entry = linkNumber(run.plan, index);
      yield { index: index++, oldId: link.userId, send: (id) => sendLink(run, entry, id, link) };
    }
  }
  if (run.plan.grants === 0) return;
  index = 0;
  for (const input of inputs) {
    for await (const grant of readUserGrants(input)) {
      const entry = grantNumber(run.plan, index);
      yield {
        index: index++,
        oldId: grant.userId,
        send: (id, org) => sendGrant(run, { entry, id, org }, grant),
      };
    }
  }
}

/** In the organization that the body names, where each user goes to that of the body. */
async function sendGrant(
  run: UsersRun,
  { entry, id, org: orgOfUser }: { readonly entry: number; readonly id: string; readonly org: string },
  grant: BodyUserGrant,
): Promise<Note | undefined> {
  if (!run.followUp) return { code: 'single:grant' };
  const { client, projectIds } = run;
  const org = run.org ?? (grant.org === '' ? orgOfUser : grant.org);
  const projectId = projectIds.projects.get(grant.projectId) ?? grant.projectId;
  const projectGrantId = projectIds.grants.get(grantKey(org, grant.projectId)) ?? '';
  const path = `/management/v1/users/${encodeURIComponent(id)}/grants`;
  const { roleKeys } = grant;
  const body = { projectId, ...(projectGrantId === '' ? {} : { projectGrantId }), roleKeys };
  const call: Call = { method: 'POST', path, org, body, repeat: 'safe' };
  const expected = roleKeys.toSorted().join('\n');
  const isThere = async (): Promise<boolean> => {
    const queries = [{ userIdQuery: { userId: id } }, { projectIdQuery: { projectId } }];
    const found = await listUserGrants(client, org, queries);
    return found.some((one) => one.roleKeys.toSorted().join('\n') === expected);
  };
  return carryOut(run, { entry, call, code: 'single:grant', isThere });
}

async function sendLink(run: UsersRun, entry: number, id: string, link: LinkCall): Promise<Note | undefined> {
  if (!run.followUp) return { code: 'single:link' };
  const path = `/v2/users/${encodeURIComponent(id)}/links`;
  const idpLink = { idpId: link.idpId, userId: link.externalId, userName: link.externalName };
  const look = async (): Promise<ListLook> => {
    const { result, details } = await run.client.call(search(`${path}/_search`, {}, listIdpLinksResponse));
    const isShown = result.some(({ idpId, userId }) => idpId === link.idpId && userId === link.externalId);
    return { isShown, time: listTimeOf(details) };
  };
  const isThere = async (): Promise<boolean> => {
    const { state } = await waitUntilShown(run, { list: 'links', userId: id }, look);
    return state === 'shown';
  };
  const call: Call = { method: 'POST', path, body: { idpLink }, repeat: 'safe' };
  return carryOut(run, { entry, call, code: 'single:link', isThere });
}
