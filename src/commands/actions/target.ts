/** `idport actions target create|list|get|update|delete|rotate-key`. */
import { warning } from '../../events.ts';
import type { RegisteredTarget, TargetSettings } from '../../api/actions/versions.ts';
import type { TargetKind } from '../../wire/actions.ts';
import { UsageError } from '../../errors.ts';
import { findTarget, findTargetId } from '../../flows/actions/find-target.ts';
import { printAs, printJson, printLines } from '../../storage/stream-sink.ts';
import { alignColumns } from '../../terminal/text.ts';
import { effectiveTimeoutMs, longestTargetTimeoutMs } from '../../wire/actions-file.ts';
import type { CreateTargetFlags, KeyFlags, ListFlags, OneTarget, TargetFlags } from '../../flags/actions.ts';
import type { CommandContext } from '../context.ts';
import { asking } from './actions-api.ts';
import { keyHint, notAgain, notSigned, openKeyOutput } from './key-output.ts';

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

export const updateTarget = asking((flags: OneTarget & TargetFlags, context) => async (api) => {
  const before = findTarget(await api.listTargets(), flags.target);
  const settings = readSettings(flags, before);
  warnOfTimeout(settings, context);
  await api.updateTarget(before.id, settings);
  // Only the service knows when the target changed.
  const { changedAt: _, ...shown } = showTarget({ ...before, ...settings });
  await printJson(context.stdout, shown);
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

/** Flags win over `before`. Throws `UsageError` for settings that the service would refuse anyway. */
function readSettings(
  flags: TargetFlags,
  before: Partial<TargetSettings> & Pick<TargetSettings, 'kind' | 'interruptOnError' | 'payload'>,
): TargetSettings {
  const kinds = (['webhook', 'call', 'async'] as const).filter((kind) => flags[kind]);
  if (kinds.length > 1) throw new UsageError('a target is one of --webhook, --call and --async');
  const kind: TargetKind = kinds[0] ?? before.kind;
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
