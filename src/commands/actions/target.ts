/** `idport actions target create|list|get|update|delete|rotate-key`. */
import { warning, note } from '../../events.ts';
import {
  type RegisteredTarget,
  type TargetSettings,
  type ActionsApi,
  createActionsApi,
} from '../../api/actions/index.ts';
import { UsageError } from '../../errors.ts';
import { findTarget, findTargetId } from '../../flows/actions/find-target.ts';
import { printAs, printJson, printLines } from '../../storage/stream-sink.ts';
import { alignColumns } from '../../terminal/text.ts';
import { effectiveTimeoutMs, longestTargetTimeoutMs } from '../../wire/actions-file.ts';
import type { CreateTargetFlags, KeyFlags, ListFlags, OneTarget, TargetFlags } from '../../flags/actions.ts';
import type { CommandOf, CommandContext } from '../context.ts';
import type { ServiceFlags } from '../../flags/connection.ts';
import { connect } from '../connect.ts';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseSigningKey } from '../../flows/actions/signing-keys.ts';

/** Makes a command that talks to the service. `prepare` checks the flags before it connects. */
export const asking =
  <Flags extends ServiceFlags>(
    prepare: (flags: Flags, context: CommandContext) => (api: ActionsApi) => Promise<void>,
  ): CommandOf<Flags> =>
  async (flags, context) => {
    const use = prepare(flags, context);
    await use(createActionsApi(await connect(flags, context), flags.api));
  };

export const createTarget = asking((flags: CreateTargetFlags, context) => {
  const take = openKeyOutput(flags, context, notSigned);
  const settings = readSettings(flags, { kind: 'webhook', interruptOnError: false, payload: 'json' });
  warnOfTimeout(settings, context);
  return async (api) => {
    const { id, signingKey } = await api.createTarget(settings);
    if (signingKey !== undefined && flags.signingKeyFile === undefined && !flags.showKey)
      context.emit(keyHint({ id, name: settings.name }, api, '--signing-key-file'));
    const shown = { id, name: settings.name, api: api.generation, ...(await take(signingKey)) };
    await printJson(context.stdout, shown);
  };
});

export const listTargets = asking((flags: ListFlags, { stdout }) => async (api) => {
  const shown = (await api.listTargets()).map(showTarget);
  const head = ['ID', 'NAME', 'KIND', 'TIMEOUT', 'ON ERROR', 'PAYLOAD', 'ENDPOINT'];
  const rows = shown.map(({ id, name, kind, timeout, interruptOnError, payload, endpoint }) => [
    id,
    name,
    kind,
    timeout,
    interruptOnError ? 'interrupt' : 'go on',
    payload,
    endpoint,
  ]);
  return printAs(flags.format, stdout, shown, () => alignColumns([head, ...rows]));
});

export const getTarget = asking((flags: OneTarget & KeyFlags, context) => {
  const take = openKeyOutput(flags, context, notAgain);
  return async (api) => {
    const id = await findTargetId(api, flags.target);
    const target = await api.getTarget(id);
    const shown = { ...showTarget(target), ...(await take(target.signingKey)) };
    await printLines(context.stdout, JSON.stringify(shown, undefined, 2).split('\n'));
  };
});

export const updateTarget = asking((flags: OneTarget & TargetFlags, context) => {
  readKind(flags);
  return async (api) => {
    const before = findTarget(await api.listTargets(), flags.target);
    const settings = readSettings(flags, before);
    warnOfTimeout(settings, context);
    await api.updateTarget(before.id, settings);
    // Only the service knows when the target changed.
    const { changedAt: _, ...shown } = showTarget({ ...before, ...settings });
    await printJson(context.stdout, shown);
  };
});

export const deleteTarget = asking((flags: OneTarget, { stdout }) => async (api) => {
  const id = await findTargetId(api, flags.target);
  await api.deleteTarget(id);
  await printJson(stdout, { id, deleted: true });
});

/** Replaces the signing key. The old key stops working at once, so the new key must be kept. */
export const rotateKey = asking((flags: OneTarget & KeyFlags, context) => {
  if (flags.signingKeyFile === undefined && !flags.showKey) {
    throw new UsageError('say where the new signing key goes: --signing-key-file=<file> or --show-key');
  }
  const take = openKeyOutput(flags, context, notSigned, true);
  return async (api) => {
    const id = await findTargetId(api, flags.target);
    await printJson(context.stdout, { id, ...(await take(await api.rotateKey(id))) });
  };
});

/** Returns everything except the signing key. */
function showTarget(target: RegisteredTarget) {
  const { id, name, kind, timeoutMs, interruptOnError, payload, endpoint, createdAt, changedAt } = target;
  const timeout = `${timeoutMs / 1000}s`;
  return { id, name, kind, timeout, interruptOnError, payload, endpoint, createdAt, changedAt };
}

/** Throws `UsageError` for more than one. */
function readKind(flags: TargetFlags) {
  const kinds = (['webhook', 'call', 'async'] as const).filter((kind) => flags[kind]);
  if (kinds.length > 1) throw new UsageError('a target is one of --webhook, --call and --async');
  return kinds[0];
}

/** Flags win over `before`. Throws `UsageError` for settings that the service would refuse anyway. */
function readSettings(
  flags: TargetFlags,
  before: Partial<TargetSettings> & Pick<TargetSettings, 'kind' | 'interruptOnError' | 'payload'>,
): TargetSettings {
  const kind = readKind(flags) ?? before.kind;
  const interruptOnError = flags.interruptOnError ?? (kind !== 'async' && before.interruptOnError);
  if (kind === 'async' && interruptOnError) {
    throw new UsageError('the service does not wait for an --async target, so it cannot interrupt on error');
  }
  const name = flags.name ?? before.name ?? '';
  if (name === '') throw new UsageError('--name must not be empty');
  const timeoutMs = flags.timeout ?? before.timeoutMs ?? 0;
  if (timeoutMs === 0 || timeoutMs > longestTargetTimeoutMs) {
    throw new UsageError(`--timeout ${timeoutMs / 1000}s: it must be over 0s and up to 270s`);
  }
  return {
    name,
    endpoint: flags.endpoint ?? before.endpoint ?? '',
    timeoutMs,
    kind,
    interruptOnError,
    payload: flags.payload ?? before.payload,
  };
}

function warnOfTimeout({ timeoutMs, kind }: TargetSettings, context: CommandContext) {
  if (timeoutMs <= effectiveTimeoutMs || kind === 'async') return;
  const text = 'The service gives up on a call after 30s, even if its target has a longer timeout.';
  context.emit(warning('actions:long-timeout', text));
}

/** Says how to fetch a key that was not saved, or that it is lost, because this API shows it only once. */
export const keyHint = (
  { id, name }: { readonly id: string; readonly name: string },
  { generation }: ActionsApi,
  flag: '--signing-key-file' | '--key-folder',
) =>
  generation === 'v3alpha'
    ? warning(
        'actions:key-lost',
        `The service showed the signing key of target ${name} once, and it was not saved. To verify calls, delete this target and create it again with ${flag}.`,
      )
    : note(
        'actions:key-kept',
        `The signing key of target ${name} is not shown: idport actions target get ${id} --signing-key-file=<file> fetches it.`,
      );

/** Why a new target has no key. */
export const notSigned = 'The service gave no signing key: its calls are not signed.';
/** Why an existing target has no key. */
export const notAgain = 'The service does not show the signing key again.';

/**
 * Returns a function that writes the key and returns its part of the JSON output. Without a key, warns with `missing`. An
 * existing file, whose key may still be needed, is overwritten only with `replace`, as in a rotation, and if it has a signing
 * key. Otherwise throws `UsageError`.
 */
export function openKeyOutput(
  { signingKeyFile: file, showKey = false }: Partial<KeyFlags>,
  { cwd, emit, outputs }: CommandContext,
  missing: string,
  replace = false,
): (signingKey: string | undefined) => Promise<{ signingKey?: string }> {
  const path = resolve(cwd, file ?? '');
  if (file !== undefined && (replace ? holdsOther(path) : existsSync(path))) {
    throw new UsageError(
      `${file} exists already, and ${replace ? 'does not hold exactly one signing key' : 'a key in it may still be needed'}`,
      'Choose another --signing-key-file, or delete this file first.',
    );
  }
  const sink = outputs.openIf(file);
  return async (signingKey) => {
    if (signingKey === undefined) {
      if (file !== undefined || showKey) emit(warning('actions:no-key', missing));
      return {};
    }
    await sink?.write(`${signingKey}\n`);
    await sink?.commit();
    return showKey ? { signingKey } : {};
  };
}

/** Reports whether a file has something else than a signing key. What cannot be read is refused when it is opened. */
function holdsOther(path: string) {
  try {
    const text = readFileSync(path, 'utf8');
    return text.trim() !== '' && parseSigningKey(text) === undefined;
  } catch {
    return false;
  }
}
