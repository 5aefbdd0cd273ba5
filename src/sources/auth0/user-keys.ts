/** Users in, what joins password lines to them out: per user the keys of its id and its e-mail, and its connections. */
import type { Room } from '../../lib/batch-memory.ts';
import { FieldReader } from '../../lib/json-fields.ts';
import { type KeyMaker, keyWords } from '../../lib/key-table.ts';
import { RunList, type Runs } from '../../lib/runs.ts';
import { sameBytes } from '../../lib/same-bytes.ts';
import type { RawElements } from '../source.ts';
import { markOf } from './batch-marks.ts';
import { withCanonicalFields } from './columns.ts';
import { isObject, type Json } from './fields.ts';
import { mayBeDatabase, readIdentities } from './identities.ts';
import { comparable, databaseId, databasePrefix } from './password-line.ts';
import type { RecordSink } from './quick-lines.ts';

/** Words of a user: the key of the user id, then that of the e-mail. */
export const userKeyWords = 2 * keyWords;

/** Names of the connections of database accounts; undefined where the export does not say, empty for no account. */
export type Connections = readonly string[] | undefined;

/** The users of one batch, as they change threads. */
export interface UserKeyBatch {
  readonly count: number;
  /** Of all its bytes. */
  readonly mark: number;
  readonly words: Uint32Array<ArrayBuffer>;
  readonly connections: Runs<Connections>;
  /** Database accounts that are linked to another primary account: the place of the user, and the id. */
  readonly linked: readonly { readonly place: number; readonly id: string }[];
}

/** Gathers the users of one batch. */
export class UserKeys implements RecordSink {
  readonly fields = new FieldReader([
    ['user_id'],
    ['email'],
    ['identities', '0', 'provider'],
    ['identities', '0', 'connection'],
    ['identities', '0', 'user_id'],
  ]);
  count = 0;
  words = new Uint32Array(userKeyWords * 256);
  connections = new RunList<Connections>();
  linked: { readonly place: number; readonly id: string }[] = [];
  readonly #maker: KeyMaker;
  /** Nearly all users share one connection. */
  #lastConnection: Connections;
  #lastBytes = Buffer.alloc(0);

  constructor(maker: KeyMaker) {
    this.#maker = maker;
  }

  clear(): void {
    this.words.fill(0, 0, this.count * userKeyWords);
    this.count = 0;
    this.connections = new RunList();
    this.linked = [];
  }

  /** The common user: one database account, which is the user itself. */
  quick(bytes: Uint8Array): boolean {
    const { starts, ends } = this.fields;
    if (starts[0] === -1 || starts[2] === -1 || starts[3] === -1 || starts[4] === -1) return false;
    const id = starts[0]!;
    const account = starts[4]!;
    const accountEnd = ends[4]!;
    if (!sameBytes(bytes, starts[2]!, ends[2]!, provider, 0, provider.length)) return false;
    if (!sameBytes(bytes, id, id + prefix.length, prefix, 0, prefix.length)) return false;
    if (!sameBytes(bytes, account, accountEnd, bytes, id + prefix.length, ends[0]!)) return false;
    // A bar in the id may be that behind the name of the connection.
    if (accountEnd === account || hasByte(bytes, account, accountEnd, bar)) return false;
    const at = this.#next();
    const known =
      this.#maker.ofBytes('', bytes, id, ends[0]!, false, this.words, at) &&
      (starts[1] === -1 || this.#takeEmail(bytes, starts[1]!, ends[1]!, at + keyWords));
    if (!known) {
      this.words.fill(0, at, at + userKeyWords);
      return false;
    }
    this.connections.push(this.#connection(bytes, starts[3]!, ends[3]!));
    this.count++;
    return true;
  }

  plain(record: unknown): void {
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
    this.connections.push(this.#readAccounts(user, id, place));
  }

  /** What was gathered, put into this room. */
  take(room: Room, elements: RawElements): UserKeyBatch {
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

  /** White space round an address is cut off on the plain way. */
  #takeEmail(bytes: Uint8Array, start: number, end: number, at: number): boolean {
    if (end === start) return true;
    if (bytes[start] === 0x20 || bytes[end - 1] === 0x20) return false;
    return this.#maker.ofBytes('', bytes, start, end, true, this.words, at);
  }

  #connection(bytes: Uint8Array, start: number, end: number): Connections {
    if (!sameBytes(bytes, start, end, this.#lastBytes, 0, this.#lastBytes.length)) {
      this.#lastBytes = Buffer.from(bytes.subarray(start, end));
      const name = this.#lastBytes.toString('utf8');
      this.#lastConnection = name === '' ? undefined : [name];
    }
    return this.#lastConnection;
  }

  #readAccounts(user: Json, id: string, place: number): Connections {
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

const provider = Buffer.from('auth0', 'latin1');
const prefix = Buffer.from(databasePrefix, 'latin1');
const bar = 0x7c;

function hasByte(bytes: Uint8Array, start: number, end: number, byte: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at] === byte) return true;
  return false;
}

/** Files for a bulk import name the id within the database alone; Auth0 puts `auth0|` before it. */
function qualifiedId(user: Json): string {
  const id = user['user_id'];
  if (typeof id === 'number') return databasePrefix + String(id);
  if (typeof id !== 'string' || id === '') return '';
  return id.includes('|') ? id : databasePrefix + id;
}
