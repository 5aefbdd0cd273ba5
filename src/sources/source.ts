/**
 * The contract of a provider, which reads the bytes of an export into records, what an export contains besides users, and
 * what several providers share.
 */
import { extname } from 'node:path';
import { UsageError } from '../errors.ts';
import type { OpenSpillFile } from '../compact/piece-store.ts';
import type { ElementBatch } from '../json/element-batches.ts';
import type { LineBatch } from '../json/lines.ts';
import type { Database, Directory } from '../lib/live-system.ts';
import type { Input } from '../lib/input.ts';
import type { StoredHash } from '../records/hash-forms/explain-mismatch.ts';
import type { UserOptions, Origin, ReadResult } from '../records/user.ts';
import type { SourceOrg, SourceApps, RealmRoles, RoleKind } from '../records/resource.ts';
import type { Notify } from '../notice.ts';
import type { Broken, RowKey } from './raw-record.ts';
import type { RowElements } from './rows.ts';
import type { ProviderKind } from '../wire/identity-providers.ts';

/**
 * The raw records of a batch, in the form in which they were found. Bytes have their own buffer, which belongs to the
 * receiver of the batch.
 */
export type RawElements = Moved & Found;

/** Rows of one user that a cut between batches had parted. */
interface Moved {
  /** Number of values at the beginning that belong to the batch before. Set if any may have moved. */
  readonly skip?: number;
  /** Values of the next batch that belong to this one. */
  readonly more?: readonly unknown[];
}

type Found =
  /**
   * JSON values with commas between them and no brackets around them, in well-formed UTF-8. A broken value breaks the
   * input. `cuts` are positions of some of these commas, at which the batch is best split for parsing.
   */
  | ({ readonly form: 'elements' } & ElementBatch)
  /** JSON values, one per line. A broken value only loses itself. See `json/lines.ts`. */
  | ({ readonly form: 'lines' } & Omit<LineBatch, 'kind' | 'cuts'>)
  /** See `rows.ts`. */
  | RowElements
  /** Values of a format that is not JSON. They must survive a structured clone. */
  | { readonly form: 'values'; readonly values: readonly unknown[] }
  /** One record that could not be read. */
  | ({ readonly form: 'broken' } & Broken);

/** Consecutive raw records of one input, few enough to be passed to another thread. */
export interface RawBatch<Context = unknown> {
  readonly input: string;
  readonly elements: RawElements;
  /** What the reader needs besides the elements. Must survive a structured clone. */
  readonly context: Context;
  /** Consecutive elements with the same key are one record. If not set, every element is a record. */
  readonly rowKey?: RowKey | undefined;
  /** Members to add to each element, as lines of JSON objects. */
  readonly joined?: string | undefined;
}

/** Inputs that belong to the records, by the name of their flag: `passwords`, `mfa`. */
export type Companions = Readonly<Record<string, readonly Input[]>>;

/** What a scan may use besides its inputs. */
export interface ScanAids {
  readonly companions?: Companions;
  /** Opens a file for data that is too large for memory. If not set, the data stays in memory. */
  readonly openSpillFile?: OpenSpillFile;
}

/**
 * Turns one raw record into a user, a service account or a rejection. Pure, and never throws, whatever the record
 * contains.
 */
export type Reader<Context> = (value: unknown, origin: Origin, context: Context, place: number) => ReadResult;

/** Options that every provider has. */
export interface SharedOptions {
  readonly user: UserOptions;
  readonly plaintext: 'hash' | 'skip';
  readonly pbkdf2Encoding: 'padded' | 'ab64';
  /** Reads a small file that says how the export is to be read. Throws `InputError`. */
  readonly readFile: (path: string) => Uint8Array;
  /** Start of the run, in milliseconds since 1970. */
  readonly now: number;
}

export interface OrgWithMembers extends SourceOrg {
  /** Members by username. */
  readonly members: readonly { readonly name: string; readonly roles: readonly string[] }[];
  readonly isEnabled: boolean;
  /** What the service cannot store, such as `attributes`. */
  readonly notMigrated: readonly string[];
}

/** Reads the roles of a provider, whose own options are `Options`. */
export interface RoleReader<Options = never> {
  /** Returns all roles that the inputs define. Throws `InputError`. */
  read(inputs: readonly Input[], options: Options): Promise<readonly RealmRoles[]>;
  /** Returns the keys of the roles and groups in a raw record. Never throws, whatever the record contains. */
  of(value: unknown): readonly string[];
  /** `realm` is empty if the input does not name it. */
  kindOf(key: string, realm: string): RoleKind;
}

/** What is read from a running system. */
export interface LiveSource {
  readonly inputs: readonly Input[];
  readonly companions: Companions;
}

/** A provider. `sources/providers.ts` has the table of all. `Options` must survive a structured clone. */
export interface Provider<Options, Context> {
  /** Checks the flags of its entry (`ProviderFlags`). Throws `UsageError`. */
  readOptions(flags: object, shared: SharedOptions): Options | Promise<Options>;
  /** Returns the files of a folder to read, in order. Throws `UsageError` if the choice is not clear. */
  choose(folder: string, names: readonly string[], options: Options): readonly string[];
  /** Returns files of a folder that may hold users, but have no name that an export gives them. They are not read. */
  strayFiles?(names: readonly string[]): readonly string[];
  /** Returns the files in the same folder that belong to a given one. */
  companionFiles?(name: string, siblings: readonly string[]): readonly string[];
  /** Returns the files in the same folder with more users of the same export. They are only read if they are named. */
  otherPages?(name: string, siblings: readonly string[]): readonly string[];
  /** Yields the raw records of the inputs, in order. Throws `InputError` if an input cannot be read to its end. */
  scan(
    inputs: readonly Input[],
    options: Options,
    notify: Notify,
    aids?: ScanAids,
  ): AsyncIterable<RawBatch<Context>>;
  /** Returns inputs that read a running system. Throws `UsageError` or `InputError`. */
  openDatabase?(db: Database, options: Options, notify: Notify): Promise<LiveSource>;
  openDirectory?(directory: Directory, options: Options): Promise<LiveSource>;
  /** Creates the reader, once per thread. `place` is the position of the record in its batch. */
  reader(options: Options): Reader<Context>;
  /**
   * Returns what the inputs contain besides users. Not set if exports of this provider contain nothing else. Throws
   * `InputError`.
   */
  parts?(inputs: readonly Input[], options: Options): Promise<Parts>;
  /** Returns clients as applications of the service. Throws `InputError`. */
  apps?(inputs: readonly Input[], options: Options): Promise<SourceApps>;
  /** Returns identity providers as the service would create them. Throws `InputError`. */
  idps?(inputs: readonly Input[], options: Options): Promise<SourceIdp[]>;
  /** Yields organizations with their members, by username. Throws `InputError`. */
  organizations?(inputs: readonly Input[], options: Options): AsyncIterable<OrgWithMembers>;
  /** Returns which of these parts a raw record has. Never throws, whatever the record contains. */
  partsOf?(value: unknown): RecordParts;
  /** Not set if exports of this provider have no roles. */
  readonly roles?: RoleReader<Options>;
  /** Returns what the source stored as the password of a record. Set for providers whose mapping may be wrong about it. */
  stored?(options: Options): (value: unknown, context: Context) => StoredHash;
}

/** Returns the files with these endings, sorted by the numbers in their names, such as pages or parts of an export. */
export function chooseByEnding(folder: string, names: readonly string[], endings: readonly string[]) {
  const chosen = names.filter((name) => endings.includes(extname(name).toLowerCase()));
  if (chosen.length === 0) {
    throw new UsageError(
      `${folder}: the folder holds no export of users`,
      `Expected files that end in ${endings.join(', ')}.`,
    );
  }
  return chosen.sort((one, other) => one.localeCompare(other, 'en', { numeric: true }));
}

export interface OrganizationPart {
  /** Key by which the source names it: its alias, or else its name. */
  readonly key: string;
  readonly name: string;
  readonly domains: readonly { readonly name: string; readonly isVerified: boolean }[];
  readonly isEnabled: boolean;
  readonly members: number;
}

export interface RolePart {
  /** For example `realm:admin` or `client:app:viewer`. */
  readonly key: string;
  readonly description: string;
  /** Keys of the roles that this role includes. */
  readonly includes: readonly string[];
}

export interface GroupPart {
  /** From the root, such as `/staff/dev`. */
  readonly path: string;
  /** Keys of the roles that its members have. */
  readonly roles: readonly string[];
}

export interface ApplicationPart {
  readonly name: string;
  readonly protocol: string;
  readonly access: 'public' | 'confidential' | 'bearer only';
  readonly redirectUris: readonly string[];
  readonly isEnabled: boolean;
}

export interface ProviderPart {
  readonly alias: string;
  readonly kind: string;
  readonly isEnabled: boolean;
}

/** What an identity provider of the source becomes: the call that creates it, and what does not move. */
export interface SourceIdp {
  readonly alias: string;
  readonly name: string;
  /** The settings lack the name and the client secret. Undefined if the service cannot create the provider. */
  readonly made: { readonly kind: ProviderKind; readonly settings: object } | undefined;
  /** Client secret in the export. Empty if there is none. */
  readonly secret: string;
  /** What does not move, or why the provider cannot be created. */
  readonly lost: readonly string[];
}

/** What the inputs contain, in the order of the export. */
export interface Parts {
  readonly organizations: readonly OrganizationPart[];
  readonly roles: readonly RolePart[];
  readonly groups: readonly GroupPart[];
  readonly applications: readonly ApplicationPart[];
  readonly identityProviders: readonly ProviderPart[];
}

/** What a user has, with the names of `Parts`. */
export interface RecordParts {
  /** Keys. */
  readonly roles: readonly string[];
  /** Paths. */
  readonly groups: readonly string[];
  /** Aliases. */
  readonly identityProviders: readonly string[];
}
