/**
 * Converts a batch of raw records into their part of the import body: read, check, encode. This runs on every thread
 * and knows nothing of other batches.
 */
import { BatchSpace } from '../../lib/batch-memory.ts';
import { flattenString } from '../../lib/flatten-string.ts';
import { JsonWriter } from '../../json/writer.ts';
import { messagesOf } from '../../records/messages.ts';
import type { TargetOrg } from '../../records/organization.ts';
import { reasons } from '../../records/reasons.ts';
import { signInKinds } from '../../records/sign-in.ts';
import { codesOf } from '../../records/tally.ts';
import {
  isPlain,
  type MachineRecord,
  type Note,
  type Rejected,
  type UserRecord,
} from '../../records/user.ts';
import { parseBatch, roomOf } from '../../sources/elements.ts';
import type { RawBatch, Reader } from '../../sources/source.ts';
import {
  encodeMachineUser,
  encodeMetadata,
  measureMachineUser,
  measureMetadata,
  writeHumanUser,
} from '../../targets/human-user.ts';
import {
  type ConvertedBatch,
  algorithmNumber,
  type HashRefusal,
  emailNumber,
  packFacts,
  type RecordDetail,
  rejectedFacts,
  type Remarks,
  row,
  RowList,
  skippedFacts,
} from './batch.ts';
import { hashKeys } from './duplicates.ts';
import { createGrantEncoder, type GrantEncoder } from '../roles/choose-roles.ts';
import { encodeListedUser } from '../jit/user-list.ts';
import { keptId } from '../import-users/user-ids.ts';
import { hashPassword } from './hash-plaintext.ts';
import type { Placement, RecordFinders } from './place-record.ts';
import { createRecordReader, type RecordRead, type RecordSettings } from './read-record.ts';

export interface BatchConverterOptions extends RecordSettings {
  /** Replace passwords in plain text by bcrypt hashes; a check does not. */
  readonly hashPlain: boolean;
  /** The same for all threads of a run, so that equal names give equal hashes. */
  readonly seed: number;
  /** Whether the notes of each record are needed, and not only their counts. */
  readonly wantsNotes: boolean;
  /** Whether it is needed who gets a message, and not only how many do. */
  readonly wantsRecipients?: boolean;
}

export type BatchConverter = (batch: RawBatch) => Promise<ConvertedBatch>;

export function createBatchConverter(
  reader: Reader<unknown>,
  options: BatchConverterOptions,
  finders: RecordFinders = {},
): BatchConverter {
  const read = createRecordReader(reader, options, finders);
  const encodeGrant = createGrantEncoder(options.roles ?? { projectId: '', owner: '' });
  const trie = new RemarkTrie();
  return async (batch) => {
    const { input, context } = batch;
    const part = new BatchPart(options, trie, encodeGrant);
    for (const value of parseBatch(batch)) {
      const index = part.rows.count;
      const found = read(value, { input, index, id: '' }, context, index);
      const { record } = found;
      // Only hashing is asynchronous: awaiting every record would be slow.
      if (options.hashPlain && record.kind === 'human' && record.plainPassword !== '') {
        record.passwordHash = await hashPassword(record.plainPassword);
        record.plainPassword = '';
      }
      part.add(found);
    }
    const room = new BatchSpace(roomOf(batch.elements));
    return {
      input,
      count: part.rows.count,
      body: part.body.toBytes(room),
      rows: part.rows.copyTo(room),
      remarks: part.remarks.list,
      orgs: part.orgs.size === 0 ? '' : JSON.stringify([...part.orgs.keys()]),
      details: part.details,
    };
  };
}

/** By `import-users` as it is without flags. */
const isRenamed = ({ id }: UserRecord | MachineRecord): boolean =>
  id !== '' && keptId({ keep: true, prefix: '' }, id) === undefined;

type Grants = NonNullable<RecordDetail['grants']>;

const noGrants: Grants = [];

/** About as large as protobuf. */
const sizeOf = (grants: Grants): number => grants.reduce((sum, { element }) => sum + element.length, 0);

/** A batch while it grows. */
class BatchPart {
  readonly body = new JsonWriter();
  readonly rows = new RowList();
  readonly remarks: RemarkList;
  readonly details: RecordDetail[] = [];
  /** Indexes by organization: a chooser gives the same object for the same one. */
  readonly orgs = new Map<TargetOrg, number>();
  readonly #options: BatchConverterOptions;
  readonly #encodeGrant: GrantEncoder;

  constructor(options: BatchConverterOptions, trie: RemarkTrie, encodeGrant: GrantEncoder) {
    this.#options = options;
    this.#encodeGrant = encodeGrant;
    this.remarks = new RemarkList(trie);
  }

  /** Records are added in their order. */
  add(read: RecordRead): void {
    const { record, placement = {}, refusal } = read;
    const at = this.rows.add();
    if (placement.org !== undefined) this.rows.words[at + row.org] = this.#orgIndex(placement.org);
    const nextDetail = this.details.length;
    if (record.kind === 'rejected') this.#addRejected(at, record, refusal);
    else if (record.kind === 'machine') this.#addMachine(at, record, this.#grantsOf(record.id, placement));
    else this.#addHuman(at, record, read, this.#grantsOf(record.id, placement));
    this.rows.words[at + row.end] = this.body.length;
    const detail = this.details[nextDetail];
    if (detail !== undefined && record.orgId !== undefined) detail.orgId = record.orgId;
  }

  /** Of the record that was added last. */
  get #place(): number {
    return this.rows.count - 1;
  }

  #grantsOf(id: string, { org, granted = [], roleKeys = [] }: Placement): Grants {
    const { roles } = this.#options;
    if (roles === undefined) return noGrants;
    return [
      ...(roleKeys.length === 0
        ? []
        : [{ element: `,${this.#encodeGrant(id, org?.orgId ?? roles.owner, roleKeys)}`, roleKeys }]),
      ...granted.map((further) => ({
        element: `,${this.#encodeGrant(id, further.org.orgId, further.keys)}`,
        roleKeys: further.keys,
        org: this.#orgIndex(further.org),
      })),
    ];
  }

  #orgIndex(org: TargetOrg): number {
    const known = this.orgs.get(org);
    if (known !== undefined) return known;
    this.orgs.set(org, this.orgs.size);
    return this.orgs.size - 1;
  }

  #addHuman(at: number, user: UserRecord, checked: RecordRead, grants: Grants): void {
    const { words } = this.rows;
    const messages = messagesOf(user, this.#options.policy.route);
    const { signIn = 'password', prospects, atFirstLogin } = checked;
    this.body.put(',');
    words[at + row.size] = writeHumanUser(this.body, user) + measureMetadata(user) + sizeOf(grants);
    words[at + row.facts] = packFacts({
      outcome: 'human',
      noted: user.notes.length > 0,
      email: emailNumber(prospects?.messages.email ?? 'none'),
      sms: prospects?.messages.sms ?? false,
      otp: user.otpSecret !== '',
      inactive: user.state !== 'active',
      linked: user.links.length > 0,
      plain: isPlain(user),
      signIn: signInKinds.indexOf(prospects?.signIn ?? 'password'),
      onlyBulk: prospects?.onlyBulk ?? false,
      newId: isRenamed(user),
      algorithm: algorithmNumber(checked.algorithm),
    });
    words[at + row.remarks] = this.remarks.number(user.notes, checked.refusal);
    hashKeys(user, this.#options.seed, words, at);
    const hasMetadata = user.metadata.length > 0;
    const { wantsNotes, wantsRecipients } = this.#options;
    const isRecipient = wantsRecipients === true && (messages.email !== 'none' || messages.sms);
    const isNoted = wantsNotes && (user.notes.length > 0 || signIn !== 'password');
    const isPlainUser = !hasMetadata && !isRecipient && !isNoted && atFirstLogin === undefined;
    if (isPlainUser && grants.length === 0) return;
    this.details.push({
      place: this.#place,
      id: user.origin.id,
      userName: user.userName,
      email: user.email,
      notes: user.notes,
      signIn,
      ...(isRecipient ? { recipient: { id: user.id, phone: user.phone, messages } } : {}),
      ...(atFirstLogin === undefined ? {} : { atFirstLogin: encodeListedUser({ ...user, ...atFirstLogin }) }),
      ...(hasMetadata ? { metadata: `,${encodeMetadata(user)}`, metadataCount: user.metadata.length } : {}),
      ...(grants.length === 0 ? {} : { grants }),
    });
  }

  #addMachine(at: number, machine: MachineRecord, grants: Grants): void {
    const { words } = this.rows;
    const { origin, userName, notes } = machine;
    words[at + row.size] = measureMachineUser(machine) + sizeOf(grants);
    words[at + row.facts] = packFacts({
      outcome: 'machine',
      noted: notes.length > 0,
      email: 0,
      sms: false,
      otp: false,
      inactive: machine.state !== 'active',
      linked: false,
      plain: false,
      signIn: 0,
      onlyBulk: false,
      newId: isRenamed(machine),
      algorithm: 0,
    });
    words[at + row.remarks] = this.remarks.number(notes, undefined);
    hashKeys(machine, this.#options.seed, words, at);
    const given = grants.length === 0 ? {} : { grants };
    const detail = { place: this.#place, id: origin.id, userName, email: '', notes, ...given };
    this.details.push({ ...detail, machine: `,${encodeMachineUser(machine)}` });
  }

  #addRejected(at: number, rejection: Rejected, refusal?: HashRefusal): void {
    const { origin, userName, email, code, detail } = rejection;
    this.rows.words[at + row.facts] = reasons[code].outcome === 'skipped' ? skippedFacts : rejectedFacts;
    this.details.push({
      place: this.#place,
      id: origin.id,
      userName,
      email,
      notes: [],
      rejected: { code, detail },
      refusal,
    });
  }
}

/** The combinations of notes in a batch, of which there are few even with many records. */
class RemarkList {
  readonly list: Remarks[] = [];
  readonly #trie: RemarkTrie;

  constructor(trie: RemarkTrie) {
    this.#trie = trie;
  }

  /** The index in `list` plus 1; 0 for no notes. */
  number(notes: readonly Note[], refusal: HashRefusal | undefined): number {
    if (notes.length === 0 && refusal === undefined) return 0;
    const node = this.#trie.nodeOf(notes, refusal);
    if (node.of !== this) {
      node.of = this;
      node.number = this.list.push((node.remarks ??= { ...codesOf(notes), refusal }));
    }
    return node.number;
  }
}

/** A node of the trie of combinations: the codes, then the refusal. */
interface RemarkNode {
  readonly next: Map<string, RemarkNode>;
  remarks: Remarks | undefined;
  /** The list of the latest batch with this combination, and its number there. */
  of: RemarkList | undefined;
  number: number;
}

const makeNode = (): RemarkNode => ({ next: new Map(), remarks: undefined, of: undefined, number: 0 });

/** Aliases come out of inputs, which could name any number of them. */
const mostNodes = 2000;

/** Of all batches of a thread, because the next batch has the same combinations. */
class RemarkTrie {
  #root = makeNode();
  #nodes = 0;

  nodeOf(notes: readonly Note[], refusal: HashRefusal | undefined): RemarkNode {
    if (this.#nodes > mostNodes) {
      this.#root = makeNode();
      this.#nodes = 0;
    }
    let node = this.#root;
    for (const { code, detail = '' } of notes) {
      node = this.#step(node, code);
      if (code === 'idp:unmapped-alias') node = this.#step(node, flattenString(detail));
    }
    if (refusal === undefined) return node;
    return this.#step(this.#step(node, refusal.algorithm), refusal.problem);
  }

  #step({ next }: RemarkNode, word: string): RemarkNode {
    let node = next.get(word);
    if (node === undefined) {
      next.set(word, (node = makeNode()));
      this.#nodes++;
    }
    return node;
  }
}
