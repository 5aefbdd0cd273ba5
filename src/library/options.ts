/** Options of the library: the flags of each verb in camelCase, with the defaults of the command. */
import type { migrateFlags } from '../flags/conversion.ts';
import type { checkFlags, importFlags, importUsersFlags, undoFlags, verifyFlags } from '../flags/imports.ts';
import type { serveFlags } from '../flags/others.ts';
import type { Emit } from '../events.ts';
import type { Given } from '../lib/flag.ts';
import type { ExportName, ProviderFlags } from '../sources/providers.ts';

export interface Hooks {
  /** Called for each event. Unlike the lines of `--json`, it has neither `time` nor `at`, and counts by name are Maps. */
  readonly onEvent?: Emit;
  /** Stops the run like Ctrl-C. */
  readonly signal?: AbortSignal;
  /** Folder of relative paths; the folder of the process by default. */
  readonly cwd?: string;
}

/** An import body, or an export that is converted on the fly. */
export type SourceOptions =
  | { readonly body: string }
  | { [Name in ExportName]: { readonly from: Name } & ProviderFlags[Name] }[ExportName];

/** Flags of `idport migrate <provider>` in camelCase, with the same defaults. */
export type Conversion = {
  [Name in ExportName]: Omit<Given<typeof migrateFlags>, 'prove' | 'provePassword'> &
    ProviderFlags[Name] & {
      readonly provider: Name;
      readonly org: string;
      readonly forceProvider?: boolean;
    };
}[ExportName];

/** `token` replaces the flags for credentials. */
type Of<Flags> = Omit<Given<Flags>, 'from'> & { readonly token?: string };

export type CheckOptions = SourceOptions & Of<typeof checkFlags>;
export type ImportUsersOptions = SourceOptions & Of<typeof importUsersFlags> & { readonly org: string };
export type ImportOrganizationsOptions = Of<typeof importFlags> & { readonly body: string };
export type VerifyOptions = SourceOptions & Of<typeof verifyFlags>;
/** `yes` is the number of users to delete. Without it, users are only counted and none is deleted. */
export type UndoOptions = Of<typeof undoFlags> & { readonly journal: string };
/** By default, `port` is any free port. */
export type ServeOptions = Given<typeof serveFlags>;
