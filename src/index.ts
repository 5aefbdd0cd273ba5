/** The library: what `idport migrate` does, as a function. */
import type { CommandContext } from './commands/context.ts';
import { type Auth0Flags, type KeycloakFlags, migrateAuth0, migrateKeycloak } from './commands/migrate.ts';
import { type ExitCode, UsageError } from './errors.ts';
import type { IdportEvent } from './events.ts';
import { systemClock } from './lib/clock.ts';
import type { Tally } from './records/tally.ts';

export { ExitCode, IdportError, InputError, UsageError } from './errors.ts';
export type { IdportEvent } from './events.ts';
export type { Tally } from './records/tally.ts';

/** Files or folders; `-` is standard input. */
export type Paths = string | readonly string[];

/** The flags of `idport migrate keycloak` in camel case, with the same defaults. */
export interface KeycloakConversion extends Partial<Omit<KeycloakFlags, 'org' | 'realm' | 'threads'>> {
  readonly provider: 'keycloak';
  readonly org: string;
  readonly realm: Paths;
  readonly threads?: number;
}

/** The flags of `idport migrate auth0` in camel case, with the same defaults. */
export interface Auth0Conversion extends Partial<
  Omit<Auth0Flags, 'org' | 'users' | 'passwords' | 'mfa' | 'threads'>
> {
  readonly provider: 'auth0';
  readonly org: string;
  readonly users: Paths;
  readonly passwords?: Paths;
  readonly mfa?: Paths;
  readonly threads?: number;
}

export type Conversion = KeycloakConversion | Auth0Conversion;

export interface ConvertHooks {
  /** Everything that happens, as `--json` writes it. */
  readonly onEvent?: (event: IdportEvent) => void;
  readonly signal?: AbortSignal;
  /** Where relative paths begin; the process's own folder by default. */
  readonly cwd?: string;
}

export interface ConvertResult {
  /** What the command would exit with: `ExitCode.rejected` when somebody was left behind. */
  readonly exitCode: ExitCode;
  readonly tally: Tally;
}

const defaults = {
  output: './importBody.json',
  timeout: '30m',
  emailFallback: 'skip',
  disabled: 'keep',
  withoutPassword: 'import',
  metadata: 'none',
  duplicates: 'reject',
  plaintext: 'hash',
  onRefusedHash: 'drop',
  targetProfile: 'all-verifiers',
  pbkdf2Spelling: 'padded',
} as const;

/** Converts an export into an import body, as the command does. Throws `IdportError`; nothing is left behind then. */
export async function convert(conversion: Conversion, hooks: ConvertHooks = {}): Promise<ConvertResult> {
  let tally: Tally | undefined;
  const context: CommandContext = {
    emit: (event) => {
      if (event.type === 'run:end') tally = event.tally;
      hooks.onEvent?.(event);
    },
    clock: systemClock,
    signal: hooks.signal ?? new AbortController().signal,
    env: process.env,
    cwd: hooks.cwd ?? process.cwd(),
    stdin: process.stdin,
    stdout: process.stdout,
    interactive: false,
  };
  const exitCode = await migrate(conversion, context);
  if (tally === undefined) throw new Error('a conversion ends with run:end');
  return { exitCode, tally };
}

function migrate(conversion: Conversion, context: CommandContext): Promise<ExitCode> {
  const threads = conversion.threads === undefined ? {} : { threads: String(conversion.threads) };
  switch (conversion.provider) {
    case 'keycloak': {
      const { provider: _, threads: __, realm, ...flags } = conversion;
      const own = { serviceAccounts: 'skip', otpSecret: 'raw' } as const;
      return migrateKeycloak({ ...defaults, ...own, ...flags, ...threads, realm: listPaths(realm) }, context);
    }
    case 'auth0': {
      const { provider: _, threads: __, users, passwords = [], mfa = [], ...flags } = conversion;
      const inputs = { users: listPaths(users), passwords: listPaths(passwords), mfa: listPaths(mfa) };
      return migrateAuth0({ ...defaults, id: 'keep', ...flags, ...threads, ...inputs }, context);
    }
    default:
      throw unknownProvider(conversion);
  }
}

/** For callers without types. */
function unknownProvider(conversion: never): UsageError {
  const { provider } = conversion as { readonly provider?: unknown };
  return new UsageError(`provider ${String(provider)} is not known`, {
    hint: 'Known are keycloak and auth0.',
  });
}

function listPaths(paths: Paths): readonly string[] {
  return typeof paths === 'string' ? [paths] : paths;
}
