/** Lines of the password export in, per line the keys by which it is joined and its hash, packed, out. */
import type { Room } from '../../lib/batch-memory.ts';
import { FieldReader } from '../../lib/json-fields.ts';
import { type KeyMaker, keyWords } from '../../lib/key-table.ts';
import { RunList, type Runs } from '../../lib/runs.ts';
import { sameBytes } from '../../lib/same-bytes.ts';
import { BrokenRecord } from '../elements.ts';
import { packBcrypt, packedWords } from './packed-bcrypt.ts';
import { databasePrefix, type LineProblem, readPasswordLine } from './password-line.ts';
import type { RecordSink } from './quick-lines.ts';

/** Words of a line: the keys of the alternate id, the id and the e-mail. */
export const lineKeyWords = 3 * keyWords;
export const alternateKey = 0;
export const objectKey = keyWords;
export const emailKey = 2 * keyWords;

/** The lines of one batch, as they change threads. */
export interface PasswordKeys {
  readonly count: number;
  /** `words` and `hashes` share a buffer. */
  readonly words: Uint32Array<ArrayBuffer>;
  /** Packed; secret. */
  readonly hashes: Uint32Array<ArrayBuffer>;
  /** Empty where a line does not say. */
  readonly connections: Runs<string>;
  /** By place: hashes that are no bcrypt strings; secret. */
  readonly otherHashes: ReadonlyMap<number, string>;
  readonly problems: ReadonlyMap<number, LineProblem>;
}

/** Gathers the lines of one batch. */
export class PasswordLines implements RecordSink {
  readonly fields = new FieldReader([
    ['passwordHash'],
    ['email'],
    ['connection'],
    ['alt_id'],
    ['_id', '$oid'],
    ['_id'],
    ['_ID', '$oid'],
    ['_ID'],
  ]);
  count = 0;
  words = new Uint32Array(lineKeyWords * 256);
  hashes = new Uint32Array(packedWords * 256);
  connections = new RunList<string>();
  otherHashes = new Map<number, string>();
  problems = new Map<number, LineProblem>();
  readonly #maker: KeyMaker;
  #lastConnection = '';
  #lastBytes = Buffer.alloc(0);

  constructor(maker: KeyMaker) {
    this.#maker = maker;
  }

  clear(): void {
    this.words.fill(0, 0, this.count * lineKeyWords);
    this.count = 0;
    // New ones, empty or not: what was taken may still wait for its turn.
    this.connections = new RunList();
    this.otherHashes = new Map();
    this.problems = new Map();
  }

  /** A line with a bcrypt hash, an e-mail and an id at the usual places. */
  quick(bytes: Uint8Array): boolean {
    const { starts, ends } = this.fields;
    const id = [4, 5, 6, 7].find((field) => starts[field] !== -1);
    if (starts[0] === -1 || starts[1] === -1 || id === undefined) return false;
    this.#reserve();
    const place = this.count;
    const at = place * lineKeyWords;
    if (!packBcrypt(bytes, starts[0]!, ends[0]!, this.hashes, place * packedWords)) return false;
    const known =
      this.#takeId(bytes, starts[id]!, ends[id]!, at + objectKey) &&
      (starts[3] === -1 || this.#takeId(bytes, starts[3]!, ends[3]!, at + alternateKey)) &&
      this.#takeEmail(bytes, starts[1]!, ends[1]!, at + emailKey);
    if (!known) {
      this.words.fill(0, at, at + lineKeyWords);
      return false;
    }
    this.connections.push(starts[2] === -1 ? '' : this.#connection(bytes, starts[2]!, ends[2]!));
    this.count++;
    return true;
  }

  plain(record: unknown): void {
    this.#reserve();
    const place = this.count++;
    const line = record instanceof BrokenRecord ? 'it is not JSON' : readPasswordLine(record);
    if (typeof line === 'string') {
      this.problems.set(place, line);
      this.connections.push('');
      return;
    }
    const at = place * lineKeyWords;
    if (line.alternateId !== '')
      this.#maker.ofText(databasePrefix, line.alternateId, this.words, at + alternateKey);
    if (line.objectId !== '') this.#maker.ofText(databasePrefix, line.objectId, this.words, at + objectKey);
    if (line.email !== '') this.#maker.ofText('', line.email, this.words, at + emailKey);
    this.connections.push(line.connection);
    const hash = Buffer.from(line.hash, 'utf8');
    if (!packBcrypt(hash, 0, hash.length, this.hashes, place * packedWords))
      this.otherHashes.set(place, line.hash);
  }

  /** What was gathered, put into this room. */
  take(room: Room): PasswordKeys {
    const { count, connections, otherHashes, problems } = this;
    const [keyWordsUsed, hashWords] = [count * lineKeyWords, count * packedWords];
    const { buffer, byteOffset } = room.take(4 * (keyWordsUsed + hashWords));
    const words = new Uint32Array(buffer, byteOffset, keyWordsUsed);
    const hashes = new Uint32Array(buffer, byteOffset + 4 * keyWordsUsed, hashWords);
    words.set(this.words.subarray(0, keyWordsUsed));
    hashes.set(this.hashes.subarray(0, hashWords));
    return { count, words, hashes, connections, otherHashes, problems };
  }

  #reserve(): void {
    if ((this.count + 1) * lineKeyWords <= this.words.length) return;
    const words = new Uint32Array(2 * this.words.length);
    words.set(this.words);
    this.words = words;
    const hashes = new Uint32Array(2 * this.hashes.length);
    hashes.set(this.hashes);
    this.hashes = hashes;
  }

  /** With or without `auth0|` before it. White space round it is cut off on the plain way. */
  #takeId(bytes: Uint8Array, start: number, end: number, at: number): boolean {
    if (end === start || bytes[start] === space || bytes[end - 1] === space) return false;
    const isPrefixed = sameBytes(
      bytes,
      start,
      Math.min(end, start + prefix.length),
      prefix,
      0,
      prefix.length,
    );
    if (isPrefixed && end - start === prefix.length) return false;
    return this.#maker.ofBytes(isPrefixed ? '' : databasePrefix, bytes, start, end, false, this.words, at);
  }

  #takeEmail(bytes: Uint8Array, start: number, end: number, at: number): boolean {
    if (end === start || bytes[start] === space || bytes[end - 1] === space) return false;
    return this.#maker.ofBytes('', bytes, start, end, true, this.words, at);
  }

  /** Nearly all lines share one connection. */
  #connection(bytes: Uint8Array, start: number, end: number): string {
    if (!sameBytes(bytes, start, end, this.#lastBytes, 0, this.#lastBytes.length)) {
      this.#lastBytes = Buffer.from(bytes.subarray(start, end));
      this.#lastConnection = this.#lastBytes.toString('utf8');
    }
    return this.#lastConnection;
  }
}

const prefix = Buffer.from(databasePrefix, 'latin1');
const space = 0x20;
