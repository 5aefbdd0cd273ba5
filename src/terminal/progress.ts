/** The line of progress. */
import type { WaitReason } from '../events.ts';
import { formatBytes, formatCount, formatCounted, formatSeconds } from '../lib/quantity.ts';
import type { RunState } from './run-state.ts';

/** Before this a rate is noise. */
const settledAfterSeconds = 1;

const waitTexts: Readonly<Record<WaitReason, string>> = {
  'rate-limit': 'the service asks to slow down',
  // It may be the network or a proxy as well; the end says which.
  unreachable: 'no answer',
  'service-busy': 'the service is at work',
  'list-behind': "the service's list of users is behind",
};

/** Parts in the order in which they matter: as many as fit into `width` are shown. */
export function formatProgress(state: RunState, now: number, width = Number.POSITIVE_INFINITY): string {
  const seconds = (now - state.startedAt) / 1000;
  const done = fractionDone(state);
  const parts = [
    done === undefined ? '' : `${Math.floor(done * 100)} %`,
    state.waiting
      ? `waiting ${formatSeconds(state.waiting.seconds)}: ${waitTexts[state.waiting.reason]}`
      : '',
    formatCounted(state.records, 'user'),
    state.rejected > 0 ? `${formatCount(state.rejected)} rejected` : '',
    formatRemaining(done, seconds),
    seconds >= settledAfterSeconds ? `${formatCount(state.records / seconds)}/s` : '',
    formatVolume(state),
  ];
  return fit(
    parts.filter((part) => part !== ''),
    width,
  );
}

/** From 0 to 1, by bytes where their sum is known, else by records; undefined where neither is known. */
function fractionDone(state: RunState): number | undefined {
  if (state.bytesTotal !== undefined && state.bytesTotal > 0) {
    return Math.min(1, state.bytes / state.bytesTotal);
  }
  if (state.recordsTotal !== undefined && state.recordsTotal > 0) {
    return Math.min(1, state.records / state.recordsTotal);
  }
  return undefined;
}

function formatRemaining(done: number | undefined, seconds: number): string {
  if (done === undefined || done < 0.01 || done >= 1 || seconds < settledAfterSeconds) return '';
  return `${formatSeconds((seconds * (1 - done)) / done)} left`;
}

function formatVolume(state: RunState): string {
  if (state.bytesTotal !== undefined)
    return `${formatBytes(state.bytes)} of ${formatBytes(state.bytesTotal)}`;
  return state.bytes > 0 ? formatBytes(state.bytes) : '';
}

function fit(parts: readonly string[], width: number): string {
  let line = '';
  for (const part of parts) {
    const longer = line === '' ? part : `${line}, ${part}`;
    if (longer.length > width) return line === '' ? part.slice(0, Math.max(0, width)).trimEnd() : line;
    line = longer;
  }
  return line;
}
