/** Formats the line of progress. */
import type { WaitReason } from '../events.ts';
import { formatBytes, formatCount, formatCounted, formatRate, formatSeconds } from '../lib/format.ts';
import { measureRates, type Rates, type RunState, type Wait } from './run-state.ts';

/** A rate that is measured over less time is noise. */
const settledAfterSeconds = 1;
/** Until then, the configured rate is the better estimate. */
const measuredAfterSeconds = 5;

/** Columns of the bar, and the smallest width of a line with a bar. */
const barColumns = 10;
const narrowestWithBar = 60;

const waitTexts: Readonly<Record<WaitReason, string>> = {
  'rate-limit': 'the service asks to slow down',
  // The network or a proxy may also be the cause. The error at the end says which.
  unreachable: 'no answer',
  'service-busy': 'the service is still importing',
  'list-behind': "the service's lists have not caught up yet",
};

/** Formats the most important parts first. Parts that do not fit into `width` are dropped. */
export function formatProgress(state: RunState, now: number, width = Infinity) {
  const { waiting, records, rejected } = state;
  const done = fractionDone(state);
  const rates = measureRates(state, now);
  return fit(
    [
      done !== undefined && `${Math.floor(done * 100)} %`,
      waiting && `waiting${formatDuration(waiting, now)}: ${waitTexts[waiting.reason]}`,
      // The first answer may never come.
      (waiting === undefined || records > 0) && formatCounted(records, 'user'),
      rejected > 0 && `${formatCount(rejected)} rejected`,
      // During a wait, no rate tells when it will end.
      !waiting && formatRemaining(state, rates),
      rates.seconds >= settledAfterSeconds && rates.records > 0 && `${formatRate(rates.records)}/s`,
      formatVolume(state),
      formatQuiet(state, rates, now),
    ],
    width,
  );
}

/** Longer than most runs wait between two requests. */
const quietAfterSeconds = 15;

function formatQuiet({ waiting, movedAt }: RunState, { unseenSeconds }: Rates, now: number) {
  const quiet = Math.floor((now - movedAt) / 1000);
  return (
    waiting === undefined &&
    quiet - unseenSeconds >= quietAfterSeconds &&
    `last progress ${formatSeconds(quiet)} ago`
  );
}

/** Formats the remaining time of a rate limit, which the service tells, or the time passed for other reasons. */
function formatDuration({ reason, since, until }: Wait, now: number) {
  if (reason === 'rate-limit') return ` ${formatSeconds(Math.max(0, Math.ceil((until - now) / 1000)))}`;
  const seconds = Math.floor((now - since) / 1000);
  return seconds < 1 ? '' : ` for ${formatSeconds(seconds)}`;
}

/** Formats a line with a bar in front, if it is wide enough and the total is known. */
export function formatBar(state: RunState, now: number, width: number) {
  const done = fractionDone(state);
  if (done === undefined || width < narrowestWithBar) return formatProgress(state, now, width);
  const filled = Math.floor(done * barColumns);
  const bar = `[${'#'.repeat(filled)}${'-'.repeat(barColumns - filled)}] `;
  return bar + formatProgress(state, now, width - bar.length);
}

/** How progress is measured: in bytes if their sum is known, otherwise in entries, otherwise in records. */
interface Measure {
  readonly of: 'bytes' | 'entries' | 'records';
  readonly done: number;
  readonly total: number;
}

function chooseMeasure({ bytes, bytesTotal, entries, records, recordsTotal }: RunState) {
  const measures: readonly Measure[] = [
    { of: 'bytes', done: bytes, total: bytesTotal ?? 0 },
    { of: 'entries', done: entries?.done ?? 0, total: entries?.total ?? 0 },
    { of: 'records', done: records, total: recordsTotal ?? 0 },
  ];
  return measures.find(({ total }) => total > 0);
}

/** Returns a number from 0 to 1, or undefined if the total is not known. */
function fractionDone(state: RunState) {
  const measure = chooseMeasure(state);
  return measure && Math.min(1, measure.done / measure.total);
}

/** Uses the configured rate at first, then the measured one. */
function formatRemaining(state: RunState, rates: Rates) {
  const measure = chooseMeasure(state);
  if (measure === undefined || measure.done >= measure.total) return '';
  const { of, done, total } = measure;
  const left = total - done;
  const isMeasured = rates.seconds >= measuredAfterSeconds;
  if (of === 'records' && state.perSecond !== undefined && !isMeasured) {
    return `${formatSeconds(left / state.perSecond)} left`;
  }
  const rate = rates[of];
  const isNoise = rates.seconds < settledAfterSeconds || (!isMeasured && done / total < 0.01);
  if (rate === 0 || isNoise) return '';
  return `${formatSeconds(Math.max(0, left / rate - rates.unseenSeconds))} left`;
}

function formatVolume(state: RunState) {
  const { entries } = state;
  if (entries !== undefined && entries.total !== state.recordsTotal)
    return `${formatCount(entries.done)} of ${formatCount(entries.total)} entries`;
  if (state.bytesTotal !== undefined)
    return `${formatBytes(state.bytes)} of ${formatBytes(state.bytesTotal)}`;
  return state.bytes > 0 && formatBytes(state.bytes);
}

function fit(parts: readonly (string | false | undefined)[], width: number) {
  let line = '';
  for (const part of parts) {
    if (!part) continue;
    const longer = line === '' ? part : `${line}, ${part}`;
    if (longer.length > width) return line === '' ? part.slice(0, Math.max(0, width)).trimEnd() : line;
    line = longer;
  }
  return line;
}
