/** Makes the keys of users that password lines are joined by: id, email and connections. */
import type { BatchSpace } from '../../../lib/batch-memory.ts';
import { type KeyMaker, keyWords } from '../../../compact/key-table.ts';
import { RunLengthList, type RunLengths } from '../../../compact/run-length-list.ts';
import type { RawElements } from '../../source.ts';
import { markOf } from './batch-marks.ts';
import { withCanonicalFields } from '../columns.ts';
import { isObject, type JsonObject, readJsonId } from '../../../lib/json-value.ts';
import { mayBeDatabase, readIdentities } from '../identities.ts';
import { comparable, databaseId, databasePrefix } from './password-line.ts';

/** Words of a user: the key of the user id, then that of the email. */
export const userKeyWords = 2 * keyWords;

/** Names of the connections of database accounts; undefined where the export does not say, empty for no account. */
export type Connections = readonly string[] | undefined;

/** The users of one batch, as they change threads. */
export interface UserKeyBatch {
  readonly count: number;
  /** Of all its bytes. */
  readonly mark: number;
  readonly words: Uint32Array<ArrayBuffer>;
  readonly connections: RunLengths<Connections>;
  /** Database accounts that are linked to another primary account: the place of the user, and the id. */
  readonly linked: readonly { readonly place: number; readonly id: string }[];
}

/** Collects the users of one batch. */
export class UserKeys {
  count = 0;
  words = new Uint32Array(userKeyWords * 256);
  connections = new RunLengthList<Connections>();
  linked: { readonly place: number; readonly id: string }[] = [];
  readonly #maker: KeyMaker;
  #last: Connections;

  constructor(maker: KeyMaker) {
    this.#maker = maker;
  }

  clear(): void {
    this.words.fill(0, 0, this.count * userKeyWords);
    this.count = 0;
    this.connections = new RunLengthList();
    this.linked = [];
  }

  add(record: unknown): void {
    const at = this.#next();
    const place = this.count++;
    if (!isObject(record)) {
      this.connections.push(undefined);
      return;
    }
    const user = withCanonicalFields(record);
    const id = qualifiedId(user);
    if (id !== '') this.#maker.ofText('', id, this.words, at);
    const email = comparable(user['email']);
    if (email !== '') this.#maker.ofText('', email, this.words, at + keyWords);
    this.connections.push(this.#sameAsLast(this.#readAccounts(user, id, place)));
  }

  /** What was collected, put into this room. */
  take(room: BatchSpace, elements: RawElements): UserKeyBatch {
    const { count, connections, linked } = this;
    const { buffer, byteOffset } = room.take(4 * count * userKeyWords);
    const words = new Uint32Array(buffer, byteOffset, count * userKeyWords);
    words.set(this.words.subarray(0, words.length));
    return { count, mark: markOf(elements, count), words, connections, linked };
  }

  #next(): number {
    const at = this.count * userKeyWords;
    if (at === this.words.length) {
      const wider = new Uint32Array(2 * at);
      wider.set(this.words);
      this.words = wider;
    }
    return at;
  }

  /** Nearly all users share one connection: the same list makes one run of them. */
  #sameAsLast(names: Connections): Connections {
    const last = this.#last;
    const isSame =
      names?.length === last?.length && names?.every((name, at) => name === last?.[at]) !== false;
    if (!isSame) this.#last = names;
    return this.#last;
  }

  #readAccounts(user: JsonObject, id: string, place: number): Connections {
    const connections: string[] = [];
    const identities = readIdentities(user);
    let known = identities.length > 0;
    for (const identity of identities) {
      if (!mayBeDatabase(identity)) continue;
      if (identity.connection === '') known = false;
      else connections.push(identity.connection);
      const linked = identity.userId === '' ? '' : databasePrefix + databaseId(identity.userId);
      if (linked !== '' && linked !== id) this.linked.push({ place, id: linked });
    }
    // One id says nothing about what else is linked to it.
    if (connections.length === 0 && !Array.isArray(user['identities'])) known = false;
    return known ? connections : undefined;
  }
}

/** Files for a bulk import name the id within the database alone; Auth0 puts `auth0|` before it. */
function qualifiedId(user: JsonObject): string {
  const id = readJsonId(user['user_id']) ?? '';
  if (id === '') return '';
  return id.includes('|') ? id : databasePrefix + id;
}
