/** The flags that say where the people come from in, opened inputs and what the provider is asked for out. */
import { UsageError } from '../errors.ts';
import { openExport } from '../flows/source/open-export.ts';
import type { Input } from '../lib/input.ts';
import type { ProviderName, ProviderOptions } from '../sources/index.ts';
import type { Companions } from '../sources/source.ts';
import { openInputs } from '../storage/open-input.ts';
import type { CommandContext } from './context.ts';
import { checkPerson, type RecordFlags } from './convert-request.ts';

/** The flags of `addKeycloakFlags`. */
export interface KeycloakSource {
  readonly realm: readonly string[];
  readonly realmName?: string;
  readonly serviceAccounts: 'skip' | 'machine-users';
  readonly otpSecret: 'raw' | 'base32' | 'auto';
}

/** The flags of `addAuth0Flags`. */
export interface Auth0Source {
  readonly users: readonly string[];
  readonly passwords?: readonly string[];
  readonly mfa?: readonly string[];
  /** True where the flag has no value, absent where there is no flag. */
  readonly emailVerified?: boolean | string;
  readonly id: 'keep' | 'strip-prefix';
}

/** For verbs that take a body, or an export to convert on the fly. */
export interface SourceFlags extends RecordFlags, Partial<KeycloakSource>, Partial<Auth0Source> {
  readonly body?: string;
  readonly from?: 'keycloak' | 'auth0';
}

export interface OpenedSource<Name extends ProviderName = ProviderName> {
  readonly provider: Name;
  readonly options: ProviderOptions[Name];
  readonly inputs: readonly Input[];
  readonly companions: Companions;
}

export async function openKeycloak(
  flags: KeycloakSource & RecordFlags,
  context: CommandContext,
): Promise<OpenedSource<'keycloak'>> {
  const options: ProviderOptions['keycloak'] = {
    ...checkPerson(flags, 'username'),
    realmName: flags.realmName,
    serviceAccounts: flags.serviceAccounts,
    otpSecret: flags.otpSecret,
    plaintext: flags.plaintext,
    pbkdf2Spelling: flags.pbkdf2Spelling,
  };
  return open('keycloak', options, flags.realm, context, {});
}

export async function openAuth0(
  flags: Auth0Source & RecordFlags,
  context: CommandContext,
): Promise<OpenedSource<'auth0'>> {
  const { users, passwords = [], mfa = [] } = flags;
  if ([...users, ...passwords, ...mfa].filter((path) => path === '-').length > 1) {
    throw new UsageError('standard input is given twice', { hint: 'Give files for all but one of them.' });
  }
  return open('auth0', checkAuth0(flags), users, context, {
    passwords: openInputs(passwords, context),
    mfa: openInputs(mfa, context),
  });
}

export function checkAuth0(flags: Auth0Source & RecordFlags): ProviderOptions['auth0'] {
  const emailVerified = checkEmailVerified(flags.emailVerified);
  if (flags.assumeEmailVerified === true && emailVerified === false) {
    throw new UsageError('--assume-email-verified and --email-verified=false contradict each other', {
      hint: 'Leave out one of them; without both, every address is what Auth0 says of it.',
    });
  }
  return {
    ...checkPerson(flags, 'full-name'),
    emailVerified,
    ids: flags.id,
    pbkdf2Spelling: flags.pbkdf2Spelling,
  };
}

export async function openBody(path: string, context: CommandContext): Promise<OpenedSource<'body'>> {
  return open('body', {}, [path], context, {});
}

/** A body, or `--from` with the flags of its provider. */
export function openSource(flags: SourceFlags, context: CommandContext): Promise<OpenedSource> {
  const { body, from, realm, users } = flags;
  if (body !== undefined && from !== undefined) {
    throw new UsageError('give either a body or --from, not both', {
      hint: `If ${body} is one more path of the export, give the flag again for it: --realm=a --realm=b.`,
    });
  }
  if (body !== undefined) return openBody(body, context);
  if (from === 'keycloak') {
    if (realm === undefined) throw new UsageError('--from keycloak needs --realm <path>');
    return openKeycloak({ serviceAccounts: 'skip', otpSecret: 'raw', ...flags, realm }, context);
  }
  if (from === 'auth0') {
    if (users === undefined) throw new UsageError('--from auth0 needs --users <path>');
    return openAuth0({ id: 'keep', ...flags, users }, context);
  }
  throw new UsageError('no source is named', {
    hint: 'Name an import body, or an export with --from keycloak or --from auth0.',
  });
}

async function open<Name extends ProviderName>(
  provider: Name,
  options: ProviderOptions[Name],
  paths: readonly string[],
  context: CommandContext,
  companions: Companions,
): Promise<OpenedSource<Name>> {
  const inputs = await openExport({ provider, options, paths, context, emit: context.emit });
  return { provider, options, inputs, companions };
}

function checkEmailVerified(value: boolean | string | undefined): boolean | undefined {
  if (typeof value !== 'string') return value;
  const word = value.toLowerCase();
  if (word === 'true' || word === 'false') return word === 'true';
  throw new UsageError(`--email-verified=${value} is neither true nor false`, {
    hint: 'Leave the flag out to carry over what Auth0 says of each address.',
  });
}
