/** Joins the reports of one cutover by the files that they read and wrote, and by the journal. */
import { formatNames } from '../../lib/format.ts';
import { basename } from 'node:path';
import { UsageError } from '../../errors.ts';
import type { HashedFile } from '../../wire/reports.ts';
import { addPart, type Part, type Step, steps, type Report } from './parts.ts';

export type Cutover = ReturnType<typeof joinParts>;

/** Throws `UsageError` for a copy, and for a report that shares neither a file nor a journal with the others. */
export function joinParts(given: readonly Part[]) {
  refuseCopies(given);
  const parts = given.toSorted((a, b) => a.startedAt - b.startedAt);
  const [first, ...others] = parts;
  const joined = first === undefined ? [] : [first];
  let left = others;
  for (;;) {
    const found = left.filter((part) => joined.some((known) => areRelated(known, part)));
    if (found.length === 0) break;
    joined.push(...found);
    left = left.filter((part) => !found.includes(part));
  }
  const [other] = left;
  if (other !== undefined) {
    throw new UsageError(
      `${other.file} is not of the same cutover as ${first?.file}`,
      'It shares no input, output or journal with the others. Fix a rejects file under its own name, and make a separate page of another cutover.',
    );
  }
  const { batches, uncounted } = toBatches(parts);
  const counted = batches.flatMap(({ runs }) => [...runs.values()]);
  const last = sumSteps(batches);
  return {
    /** Sorted by time. */
    parts,
    /** Sum of what counts of each step. A step without a report is absent. */
    last,
    reports: reportsOf(last),
    /** Parts that `last` is made of. */
    counted,
    /** Parts of `counted` whose rejected records were all read again later. */
    repaired: new Set(counted.filter((part) => isRepaired(part, batches))),
    /** Warnings about the reports themselves. */
    warnings: [
      ...findChanged(parts),
      ...findTargets(parts),
      ...findOrgs(parts),
      ...findProfiles(parts),
      ...uncounted,
      // The page would show one shard for all.
      ...parts
        .filter(({ report }) => report.run?.shard !== undefined)
        .map(({ file }) => `${file} is the report of one shard: \`idport merge\` adds up those of all.`),
    ],
  };
}

const formats = {
  migrate: 'idport-report',
  check: 'idport-report',
  import: 'idport-report',
  verify: 'idport-verify-report',
  undo: 'idport-undo-report',
} as const satisfies Readonly<Record<Step, Report['format']>>;

type StepReports = {
  readonly [S in Step]?: Extract<Report, { format: (typeof formats)[S] }>;
};

/** Returns the report of each step that did not stop before it could count. */
function reportsOf(last: ReadonlyMap<Step, Part>): StepReports {
  return Object.fromEntries(
    [...last].flatMap(([step, { report }]) => (report.format === formats[step] ? [[step, report]] : [])),
  );
}

/** Throws if two files have the same run: its users would be listed twice, or one would count as a previous run. */
function refuseCopies(parts: readonly Part[]) {
  const seen = new Map<string, string>();
  for (const { file, report } of parts) {
    const text = JSON.stringify(report);
    const first = seen.get(text);
    if (first !== undefined) {
      throw new UsageError(`${file} is the same report as ${first}`, 'Give each report once.');
    }
    seen.set(text, file);
  }
}

/** Runs about the same users, the last one of each step. */
interface Batch {
  /** Name of the fixed rejects file that the batch's first run read. Undefined for the batch of all users. */
  readonly rejects?: string;
  readonly from?: Step;
  readonly runs: Map<Step, Part>;
}

/** Groups runs into batches. A later run over all users voids batches that fixed what the same step had rejected before. */
function toBatches(parts: readonly Part[]) {
  const whole: Batch = { runs: new Map() };
  let batches = [whole];
  const uncounted: string[] = [];
  for (const part of parts) {
    const read = new Set(inputsOf(part).map(nameOf));
    const rejects = batches
      .map(({ runs }) => rejectsOf(runs.get(part.step)))
      .find((name) => name !== undefined && read.has(name));
    const isWriter = (run: Part) =>
      [...(run.report.run?.outputs ?? []).map(nameOf), journalOf(run) ?? []]
        .flat()
        .some((name) => read.has(name));
    const known = batches.find((batch) =>
      rejects === undefined ? [...batch.runs.values()].some(isWriter) : batch.rejects === rejects,
    );
    const begun = rejects === undefined ? whole : { rejects, from: part.step, runs: new Map() };
    // Verify goes with all users. It reads several bodies, because with one of them the users of the others are extra.
    const batch = part.step === 'verify' ? whole : (known ?? begun);
    // A dry run, or one that was refused, does not restore what was deleted, and imports nothing.
    const before = batch.runs.get(part.step);
    if (part.isIdle && before?.isIdle === false) continue;
    batch.runs.set(part.step, part);
    if (part.step === 'import' && before !== undefined && isOfOthers(part, before, batch))
      uncounted.push(
        `${before.file} is not counted, because ${part.file} is a later import, of other inputs. Make a page of each.`,
      );
    // What was compared or deleted before this import does not apply to it.
    if (part.step === 'import' && !part.isIdle) {
      whole.runs.delete('verify');
      batch.runs.delete('undo');
    }
    if (batch === whole) batches = batches.filter(({ from }) => from !== part.step);
    if (!batches.includes(batch)) batches.push(batch);
  }
  return { batches, uncounted };
}

/** Reports whether the import is of other users than the one before it, which was neither continued nor rolled back. */
function isOfOthers(part: Part, before: Part, { runs }: Batch) {
  const read = new Set(inputsOf(before).map(nameOf));
  return (
    !before.isIdle &&
    part.report.run?.command.includes('--since-journal') !== true &&
    runs.get('undo')?.isIdle !== false &&
    !inputsOf(part).some((file) => read.has(nameOf(file)))
  );
}

/** Adds up the parts of each step that count. */
function sumSteps(batches: readonly Batch[]): Map<Step, Part> {
  const last = new Map<Step, Part>();
  for (const step of steps) {
    for (const { from, runs } of batches) {
      const part = runs.get(step);
      const before = last.get(step);
      if (part === undefined) continue;
      last.set(step, before === undefined ? part : addPart(before, part, from === step));
    }
  }
  return last;
}

/** Reports whether a batch read again everything that this run rejected. Then the run's list no longer applies. */
function isRepaired(part: Part, batches: readonly Batch[]) {
  const again = batches.find(({ rejects }) => rejects !== undefined && rejects === rejectsOf(part));
  const sum = again?.runs.get(part.step)?.sum;
  return sum !== undefined && sum.read >= (part.sum?.rejected ?? Infinity);
}

interface File extends HashedFile {
  readonly part: Part;
}

function inputsOf({ report }: Part): readonly HashedFile[] {
  const { inputs = [] } = report.run ?? {};
  if (inputs.length > 0) return inputs;
  return 'inputs' in report ? report.inputs.map((name) => ({ name })) : [];
}

function filesOf(part: Part): File[] {
  const rejects = rejectsOf(part);
  const { outputs = [] } = part.report.run ?? {};
  const files = [...inputsOf(part), ...outputs, ...(rejects === undefined ? [] : [{ name: rejects }])];
  return files.map((file) => ({ ...file, part }));
}

function rejectsOf(part: Part | undefined) {
  const { rejects } = part?.report.run ?? {};
  return rejects === undefined ? undefined : basename(rejects);
}

function journalOf({ report }: Part) {
  const journal = 'journal' in report ? report.journal : report.run?.journal;
  return journal === undefined ? undefined : basename(journal);
}

function areRelated(one: Part, other: Part) {
  const journal = journalOf(one);
  if (journal !== undefined && journal === journalOf(other)) return true;
  const files = filesOf(other);
  return filesOf(one).some((file) =>
    files.some(
      (it) => nameOf(file) === nameOf(it) || (file.sha256 !== undefined && file.sha256 === it.sha256),
    ),
  );
}

const nameOf = ({ name }: HashedFile) => basename(name);

/** Warns of files that were changed by hand between two steps. Journals and rejects files are expected to change. */
function findChanged(parts: readonly Part[]) {
  const expected = new Set(parts.flatMap((part) => [journalOf(part), rejectsOf(part)]));
  const seen = new Map<string, File>();
  const warnings: string[] = [];
  for (const file of parts.flatMap(filesOf)) {
    const name = nameOf(file);
    const before = seen.get(name);
    seen.set(name, file);
    if (before?.sha256 === undefined || file.sha256 === undefined || expected.has(name)) continue;
    if (before.sha256 === file.sha256) continue;
    warnings.push(`${name} has changed between ${before.part.verb} and ${file.part.verb}.`);
  }
  return warnings;
}

export const targetsOf = (parts: readonly Part[]) => parts.flatMap(({ report }) => report.run?.target ?? []);

function findTargets(parts: readonly Part[]) {
  const targets = new Set(targetsOf(parts));
  return targets.size < 2 ? [] : [`The runs went to different services: ${[...targets].join(', ')}.`];
}

/** Warns of different profiles, because hashes were judged differently. */
function findProfiles(parts: readonly Part[]) {
  const known = parts.flatMap(({ step, verb, report: { run } }) =>
    run?.profile === undefined || step === 'verify' || step === 'undo'
      ? []
      : [{ verb, profile: run.profile }],
  );
  if (new Set(known.map(({ profile }) => profile)).size < 2) return [];
  const used = new Set(known.map(({ verb, profile }) => `${verb} ${profile}`));
  return [`The runs used different target profiles: ${[...used].join(', ')}.`];
}

/** Warns of runs that have no organization in common. */
function findOrgs(parts: readonly Part[]) {
  const known = parts.flatMap(({ verb, report }) => {
    const orgs = report.run?.organizations ?? [];
    return orgs.length === 0 ? [] : [{ verb, orgs }];
  });
  const [first, ...others] = known;
  return others
    .filter(({ orgs }) => !orgs.some((org) => first?.orgs.includes(org)))
    .map(
      ({ verb, orgs }) =>
        `The runs went to different organizations: ${first?.verb} to ${formatNames(first?.orgs ?? [])}, ${verb} to ${formatNames(orgs)}.`,
    );
}
