/** The flags that describe a target in, its settings out, checked against what the service would refuse anyway. */
import type { TargetKind, TargetSettings } from '../../api/actions/types.ts';
import { UsageError } from '../../errors.ts';
import { effectiveTimeoutMs, longestTargetTimeoutMs } from '../../wire/actions-file.ts';
import type { CommandContext } from '../context.ts';
import { notice } from './notice.ts';
import { readDuration, readUrl } from './options.ts';

export interface TargetFlags {
  readonly name?: string;
  readonly endpoint?: string;
  readonly timeout?: string;
  readonly webhook?: boolean;
  readonly call?: boolean;
  readonly async?: boolean;
  readonly interruptOnError?: boolean;
  readonly payload?: TargetSettings['payload'];
}

/** Flags win over `before`. */
export function readSettings(
  flags: TargetFlags,
  before: Partial<TargetSettings> & Pick<TargetSettings, 'kind' | 'interruptOnError' | 'payload'>,
): TargetSettings {
  const kinds = (['webhook', 'call', 'async'] as const).filter((kind) => flags[kind] === true);
  if (kinds.length > 1) throw new UsageError('a target is one of --webhook, --call and --async');
  const kind: TargetKind = kinds[0] ?? before.kind;
  const interruptOnError = flags.interruptOnError ?? (kind !== 'async' && before.interruptOnError);
  if (kind === 'async' && interruptOnError) {
    throw new UsageError('nobody waits for an --async target, so it cannot interrupt on error');
  }
  const name = flags.name ?? before.name ?? '';
  if (name === '') throw new UsageError('--name must not be empty');
  const endpoint =
    flags.endpoint === undefined ? before.endpoint : readUrl('--endpoint', flags.endpoint) && flags.endpoint;
  const timeoutMs = flags.timeout === undefined ? before.timeoutMs : readDuration('--timeout', flags.timeout);
  if (timeoutMs === undefined || timeoutMs === 0 || timeoutMs > longestTargetTimeoutMs) {
    throw new UsageError(`--timeout ${flags.timeout ?? ''}: it must be over 0s and up to 270s`);
  }
  return {
    name,
    endpoint: endpoint ?? '',
    timeoutMs,
    kind,
    interruptOnError,
    payload: flags.payload ?? before.payload,
  };
}

export function warnOfTimeout({ timeoutMs, kind }: TargetSettings, context: CommandContext): void {
  if (timeoutMs <= effectiveTimeoutMs || kind === 'async') return;
  const text = 'The service itself gives a call up after 30s, whatever longer timeout a target has.';
  notice(context, 'warning', 'actions:long-timeout', text);
}
