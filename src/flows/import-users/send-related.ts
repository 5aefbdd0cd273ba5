/** The lists of a body that refer to people in; each person's metadata and links at the target out. */
import type { Input } from '../../lib/input.ts';
import { TextTable } from '../../lib/text-table.ts';
import { count } from '../../records/tally.ts';
import type { Note } from '../../records/user.ts';
import { listIdpLinksResponse } from '../../wire/user-grant.ts';
import { readLinkCalls, readMetadataCalls, type LinkCall } from './related-calls.ts';
import { carryOut, encodedMetadataCall } from './follow-up.ts';
import { linkNumber, metadataNumber } from './plan.ts';
import type { UsersRun } from './run.ts';
import { sideBySide } from '../concurrency/for-each-concurrent.ts';

/** Who has which id in the source: about 22 bytes a person. */
export interface OldIds {
  remember(number: number, oldId: string): void;
  /** Undefined for an id that nobody in the source has. */
  find(oldId: string): number | undefined;
}

/** People are remembered in the order of their numbers, everybody once. */
export function createOldIds(): OldIds {
  const table = new TextTable();
  return {
    remember(_, oldId) {
      if (oldId === '') table.skip();
      else table.add(oldId);
    },
    find(oldId) {
      const number = table.find(oldId);
      return number === -1 ? undefined : number;
    },
  };
}

interface Extra {
  readonly index: number;
  readonly oldId: string;
  readonly send: (id: string) => Promise<Note | undefined>;
}

/** Nobody's who was there before this run: their things are left alone. */
export async function sendExtras(run: UsersRun, inputs: readonly Input[], oldIds: OldIds): Promise<void> {
  const work = async ({ index, oldId, send }: Extra): Promise<void> => {
    const person = oldIds.find(oldId);
    const id = person === undefined ? undefined : run.ids.get(person);
    if (person !== undefined && id === undefined) return;
    const note: Note | undefined = id === undefined ? { code: 'single:unknown-owner' } : await send(id);
    if (note === undefined) return;
    count(run.tally.reasons, note.code);
    const origin = { input: inputs[0]?.name ?? '', index, id: oldId };
    await run.log.note({ origin, outcome: 'noted', reasons: [note] });
  };
  try {
    await sideBySide(extrasOf(run, inputs), run.width, work, () => run.signal.aborted);
  } finally {
    await run.journal.saved();
  }
}

async function* extrasOf(run: UsersRun, inputs: readonly Input[]): AsyncGenerator<Extra> {
  let index = 0;
  for (const input of inputs) {
    for await (const { userId, metadata } of readMetadataCalls(input)) {
      const entry = metadataNumber(run.plan, index);
      const send = async (id: string): Promise<Note | undefined> =>
        run.followUp
          ? carryOut(run, entry, encodedMetadataCall(run, id, metadata), 'single:metadata')
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
}

async function sendLink(run: UsersRun, entry: number, id: string, link: LinkCall): Promise<Note | undefined> {
  if (!run.followUp) return { code: 'single:link' };
  const path = `/v2/users/${encodeURIComponent(id)}/links`;
  const idpLink = { idpId: link.idpId, userId: link.externalId, userName: link.externalName };
  const isThere = async (): Promise<boolean> => {
    const { result } = await run.client.call({
      method: 'POST',
      path: `${path}/_search`,
      body: {},
      repeat: 'safe',
      answer: listIdpLinksResponse,
    });
    return result.some(({ idpId, userId }) => idpId === link.idpId && userId === link.externalId);
  };
  return carryOut(run, entry, { method: 'POST', path, body: { idpLink }, repeat: 'safe' }, 'single:link', {
    isThere,
  });
}
