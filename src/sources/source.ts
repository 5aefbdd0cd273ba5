/** The contract of a provider: it reads the bytes of an export into records. And what several providers share. */
import { extname } from 'node:path';
import { UsageError } from '../errors.ts';
import type { SpillFile } from '../lib/sink.ts';
import type { ElementBatch } from '../json/element-batches.ts';
import type { LineBatch } from '../json/lines.ts';
import type { Database, Directory } from '../lib/live-system.ts';
import type { Input } from '../lib/input.ts';
import type { StoredHash } from '../records/hash-forms/explain-mismatch.ts';
import type { UserOptions, Origin, ReadResult } from '../records/user.ts';
import type { SourceOrg } from '../records/organization.ts';
import type { SourceApps } from '../records/application.ts';
import type { NoticeCode } from '../records/notices.ts';
import type { ReasonCode } from '../records/reasons.ts';
import type { RealmRoles, RoleKind } from '../records/role.ts';
import type { Broken } from './broken-record.ts';
import type { RecordParts, Parts, SourceIdp } from './parts.ts';
import type { RowKey } from './repeated-rows.ts';
import type { RowElements } from './rows.ts';

/**
 * The raw records of a batch, in the form in which they were found. Bytes are alone in their buffer, which belongs to
 * the receiver of the batch.
 */
export type RawElements =
  /**
   * JSON values with commas between them and no brackets round them, well-formed UTF-8; a broken one breaks the input.
   * `cuts`: places of some of these commas, where the batch is best parsed in parts.
   */
  | ({ readonly form: 'elements' } & ElementBatch)
  /** JSON values, one a line; a broken one loses only itself. See `json/lines.ts`. */
  | ({ readonly form: 'lines' } & Omit<LineBatch, 'kind' | 'cuts' | 'index'>)
  /** See `rows.ts`. */
  | RowElements
  /** Values of a format that is not JSON; they must survive a structured clone. */
  | { readonly form: 'values'; readonly values: readonly unknown[] }
  /** One record that could not even be read. */
  | ({ readonly form: 'broken' } & Broken);

/** A run of raw records of one input, in order, small enough to be handed to another thread. */
export interface RawBatch<Context = unknown> {
  readonly input: string;
  readonly elements: RawElements;
  /** What the reader needs besides the elements; must survive a structured clone. */
  readonly context: Context;
  /** Neighbours that agree in it are one record; absent where every element is one. */
  readonly rowKey?: RowKey | undefined;
}

/** Inputs that go with the records, by the name of their flag: `passwords`, `mfa`. */
export type Companions = Readonly<Record<string, readonly Input[]>>;

/** What a scan may use besides its inputs. */
export interface ScanAids {
  readonly companions?: Companions;
  /** For what is too large for memory; absent where it has to stay there. */
  readonly openSpillFile?: () => SpillFile | undefined;
}

/** Something about an input as a whole that users should know. Never a secret. */
export interface Notice {
  readonly level: 'info' | 'warning';
  /** A reason's where it counts users. */
  readonly code: NoticeCode | ReasonCode;
  readonly text: string;
  /** Where in which inputs, for the report file; absent where a notice is about the whole. */
  readonly places?: readonly PlaceList[];
}

/** Lines of an input (elements where it has no lines), from 1, as ascending `[first, last]` pairs. */
export interface PlaceList {
  readonly input: string;
  readonly ranges: readonly (readonly [number, number])[];
}

/** Turns one raw record into a user, a service account or a rejection. Pure, and never throws for what a record holds. */
export type Reader<Context> = (value: unknown, origin: Origin, context: Context, place: number) => ReadResult;

/** What users can ask of every provider. */
export interface SharedOptions {
  readonly user: UserOptions;
  readonly plaintext: 'hash' | 'skip';
  readonly pbkdf2Encoding: 'padded' | 'ab64';
  /** Reads a small file that says how the export is to be read. Throws `InputError`. */
  readonly readFile: (path: string) => Uint8Array;
  /** When the run began, in milliseconds. */
  readonly now: number;
}

export interface OrgWithMembers extends SourceOrg {
  /** By user name. */
  readonly members: readonly { readonly name: string; readonly roles: readonly string[] }[];
  readonly isEnabled: boolean;
  /** What the service has no place for: `attributes`. */
  readonly notMigrated: readonly string[];
}

/** How the roles of a provider are read. `Options` are those of the provider. */
export interface RoleReader<Options = never> {
  /** All that the inputs define. Throws `InputError`. */
  read(inputs: readonly Input[], options: Options): Promise<readonly RealmRoles[]>;
  /** Keys of the roles and groups that a raw record names. Never throws for what a record holds. */
  of(value: unknown): readonly string[];
  /** `realm` is empty where the input does not name it. */
  kindOf(key: string, realm: string): RoleKind;
}

/** What is read of a running system. */
export interface LiveSource {
  readonly inputs: readonly Input[];
  readonly companions: Companions;
}

/** One provider; `sources/providers.ts` has the table of all. `Options` must survive a structured clone. */
export interface Provider<Options, Context> {
  readonly title: string;
  /** The flags of its entry (`ProviderFlags`), checked. Throws `UsageError`. */
  readOptions(flags: object, shared: SharedOptions): Options | Promise<Options>;
  /**
   * Names of a folder's files in, those to read and in which order out. Throws `UsageError` where that is not clear.
   */
  choose(folder: string, names: readonly string[], options: Options): readonly string[];
  /** The files in the same folder that belong to a given one. */
  companionFiles?(name: string, siblings: readonly string[]): readonly string[];
  /** The files in the same folder with more users of the same export, which are read only if they are named. */
  otherPages?(name: string, siblings: readonly string[]): readonly string[];
  /** Finds the raw records of the inputs, in order. Throws `InputError` for an input that cannot be read to its end. */
  scan(
    inputs: readonly Input[],
    options: Options,
    notify: (notice: Notice) => void,
    aids?: ScanAids,
  ): AsyncIterable<RawBatch<Context>>;
  /** The same inputs out of what is running. Throws `UsageError`, `InputError`. */
  openDatabase?(db: Database, options: Options, notify: (notice: Notice) => void): Promise<LiveSource>;
  openDirectory?(directory: Directory, options: Options): Promise<LiveSource>;
  /** Makes the reader; called once a thread. `place` is the record's place in its batch. */
  reader(options: Options): Reader<Context>;
  /** What the inputs hold besides users; absent where exports of this provider hold nothing else. Throws `InputError`. */
  parts?(inputs: readonly Input[], options: Options): Promise<Parts>;
  /** Clients, as applications of the service. Throws `InputError`. */
  apps?(inputs: readonly Input[], options: Options): Promise<SourceApps>;
  /** Identity providers, as the service would make them. Throws `InputError`. */
  idps?(inputs: readonly Input[], options: Options): Promise<SourceIdp[]>;
  /** Organizations with their members, by user name. Throws `InputError`. */
  organizations?(inputs: readonly Input[], options: Options): AsyncIterable<OrgWithMembers>;
  /** What a raw record has of these. Never throws for what a record holds. */
  partsOf?(value: unknown): RecordParts;
  /** Absent where exports of this provider have no roles. */
  readonly roles?: RoleReader<Options>;
  /** What the source has stored as the password of a record; for providers whose mapping may be wrong about it. */
  stored?(options: Options): (value: unknown, context: Context) => StoredHash;
}

/** Files with these endings, in the order of the numbers in their names: pages, parts of an export. */
export function chooseByEnding(
  folder: string,
  names: readonly string[],
  endings: readonly string[],
): readonly string[] {
  const chosen = names.filter((name) => endings.includes(extname(name).toLowerCase()));
  if (chosen.length === 0) {
    throw new UsageError(
      `${folder}: the folder holds no export of users`,
      `Expected files that end in ${endings.join(', ')}.`,
    );
  }
  return chosen.sort((one, other) => one.localeCompare(other, 'en', { numeric: true }));
}
