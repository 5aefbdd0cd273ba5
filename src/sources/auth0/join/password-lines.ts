/** Packs the password lines of a batch: the keys that each is joined by, and its hash. */
import type { BatchSpace } from '../../../lib/batch-memory.ts';
import { type KeyMaker, keyWords } from '../../../compact/key-table.ts';
import { RunLengthList, type RunLengths } from '../../../compact/run-length-list.ts';
import { BrokenRecord } from '../../broken-record.ts';
import { packBcrypt, packedWords } from './packed-bcrypt.ts';
import { databasePrefix, type LineProblem, readPasswordLine } from './password-line.ts';

/** Words of a line: the keys of the alternate id, the id and the email. */
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
  readonly connections: RunLengths<string>;
  /** By place: hashes that are no bcrypt strings; secret. */
  readonly otherHashes: ReadonlyMap<number, string>;
  readonly problems: ReadonlyMap<number, LineProblem>;
}

/** Collects the lines of one batch. */
export class PasswordLines {
  count = 0;
  words = new Uint32Array(lineKeyWords * 256);
  hashes = new Uint32Array(packedWords * 256);
  connections = new RunLengthList<string>();
  otherHashes = new Map<number, string>();
  problems = new Map<number, LineProblem>();
  readonly #maker: KeyMaker;

  constructor(maker: KeyMaker) {
    this.#maker = maker;
  }

  clear(): void {
    this.words.fill(0, 0, this.count * lineKeyWords);
    this.count = 0;
    // New ones, empty or not: what was taken may still wait for its turn.
    this.connections = new RunLengthList();
    this.otherHashes = new Map();
    this.problems = new Map();
  }

  add(record: unknown): void {
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

  /** What was collected, put into this room. */
  take(room: BatchSpace): PasswordKeys {
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
}
