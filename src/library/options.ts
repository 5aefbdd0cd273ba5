/** The options of the library: flags in camel case, with the defaults of the command. Numbers may be given as numbers. */
import type { DuplicatesFlag, RecordFlags, ReportFlags } from '../commands/conversion-flags.ts';
import type { IdportEvent } from '../events.ts';
import type { ConnectionFlags } from '../commands/connection-flags.ts';
import type { ExportName, ProviderFlags } from '../sources/providers.ts';

export interface Hooks {
  /** Everything that happens, as `--json` writes it. */
  readonly onEvent?: (event: IdportEvent) => void;
  /** Stops the run as Ctrl-C does. */
  readonly signal?: AbortSignal;
  /** Where relative paths begin; the process's own folder by default. */
  readonly cwd?: string;
}

/** Address and credentials; without them `IDPORT_URL`, `IDPORT_TOKEN` and `IDPORT_KEY_FILE` count. */
export type ConnectionOptions = ConnectionFlags;

export interface SpeedOptions {
  /** `45/s`, `600/m`, `unlimited`. */
  readonly rate?: string;
  readonly budget?: number;
  readonly targetProfile?: string;
}

/** An import body, or an export that is converted on the fly. */
export type SourceOptions =
  | { readonly body: string }
  | { [Name in ExportName]: { readonly from: Name } & ProviderFlags[Name] }[ExportName];

interface RunOptions {
  readonly journal?: string;
  readonly resume?: boolean;
  readonly idMap?: string;
  readonly onExisting?: 'skip' | 'fail';
  readonly sinceJournal?: string | readonly string[];
  readonly wait?: string;
  readonly dryRun?: boolean;
  readonly maxEmails?: number;
  readonly allowEmails?: boolean;
}

export type CheckOptions = SourceOptions &
  Partial<RecordFlags & DuplicatesFlag & ReportFlags> &
  ConnectionOptions & {
    readonly route?: 'import-users' | 'import';
    readonly org?: string;
    readonly maxEmails?: number;
    readonly allowEmails?: boolean;
    readonly pricePerRequest?: number;
    readonly threads?: number;
    readonly forceProvider?: boolean;
  };

export type ImportUsersOptions = SourceOptions &
  Partial<RecordFlags & DuplicatesFlag & ReportFlags> &
  ConnectionOptions &
  SpeedOptions &
  RunOptions & {
    readonly org: string;
    readonly concurrency?: number;
    readonly ids?: 'keep' | 'new';
    readonly idPrefix?: string;
    /** A text is the URL template of the link in the email. */
    readonly sendVerification?: boolean | string;
    readonly api?: 'v1' | 'auto';
    readonly maxErrors?: number | string;
    readonly onlyFailed?: string;
    readonly limit?: number;
    readonly offset?: number;
    readonly user?: string | readonly string[];
    readonly forceProvider?: boolean;
  };

export type ImportOrganizationsOptions = ConnectionOptions &
  SpeedOptions &
  ReportFlagsOption &
  RunOptions & {
    readonly body: string;
    readonly v1?: boolean;
    readonly createOrg?: string | readonly string[];
    readonly timeout?: string;
    readonly chunkUsers?: number;
    readonly chunkBytes?: number;
    readonly chunkSeconds?: number;
    readonly forceProvider?: boolean;
  };

type ReportFlagsOption = Partial<ReportFlags>;

export type VerifyOptions = SourceOptions &
  Partial<RecordFlags> &
  ConnectionOptions &
  Omit<SpeedOptions, 'targetProfile'> & {
    readonly org?: string | readonly string[];
    readonly idMap?: string;
    readonly details?: 'source' | 'all' | 'none';
    /** False: details are read user by user. */
    readonly export?: boolean;
    readonly concurrency?: number;
    readonly wait?: string;
    readonly allowExtra?: boolean;
    readonly loginSample?: string;
    readonly report?: string;
    readonly forceProvider?: boolean;
  };

export type UndoOptions = ConnectionOptions &
  SpeedOptions & {
    readonly journal: string;
    /** How many users are to be deleted; without it none is, and they are only counted. */
    readonly yes?: number;
    readonly changed?: 'keep' | 'delete';
    readonly createdOrgs?: 'keep' | 'delete';
    readonly concurrency?: number;
    readonly wait?: string;
    readonly resume?: boolean;
  };

export interface ServeOptions {
  /** Any free one by default. */
  readonly port?: number;
  readonly host?: string;
  readonly profile?: string;
  readonly rate?: string;
  readonly org?: string;
  readonly orgName?: string;
  readonly seed?: string;
  readonly data?: string;
  readonly keyFile?: string;
  readonly lag?: string;
}
