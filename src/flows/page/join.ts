/** Joins the reports of one cutover: by the files that they read and wrote, and by the journal. */
import { formatNames } from '../../lib/quantity.ts';
import { basename } from 'node:path';
import { UsageError } from '../../errors.ts';
import type { HashedFile } from '../../wire/reports.ts';
import type { Part, Step } from './parts.ts';

export interface Cutover {
  /** By time. */
  readonly parts: readonly Part[];
  /** The last of each step; a step that is not here has no report. */
  readonly last: ReadonlyMap<Step, Part>;
  /** What the reader has to know about the reports themselves. */
  readonly warnings: readonly string[];
}

/** Throws `UsageError` for a copy, and for a report that has neither an input nor a journal in common with the others. */
export function joinParts(given: readonly Part[]): Cutover {
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
    throw new UsageError(`${other.file} is not of the same cutover as ${first?.file}`, {
      hint: 'It shares no input, output or journal with the others. Make a separate page of it.',
    });
  }
  return {
    parts,
    last: new Map(parts.map((part) => [part.step, part])),
    warnings: [
      ...findChanged(parts),
      ...findTargets(parts),
      ...findOrgs(parts),
      ...findProfiles(parts),
      ...findShards(parts),
    ],
  };
}

/** Two files with one run: its users would be listed twice, or the one taken for a previous run. */
function refuseCopies(parts: readonly Part[]): void {
  const seen = new Map<string, string>();
  for (const { file, report } of parts) {
    const text = JSON.stringify(report);
    const first = seen.get(text);
    if (first !== undefined) {
      throw new UsageError(`${file} is the same report as ${first}`, { hint: 'Give each report once.' });
    }
    seen.set(text, file);
  }
}

interface File extends HashedFile {
  readonly part: Part;
}

function filesOf(part: Part): File[] {
  const { report } = part;
  const { inputs = [], outputs = [] } = report.run ?? {};
  const named = 'inputs' in report ? report.inputs : [];
  const input = 'input' in report ? [report.input] : [];
  const known = inputs.length > 0 ? inputs : [...named, ...input].map((name) => ({ name }));
  return [...known, ...outputs].map((file) => ({ ...file, part }));
}

function journalOf({ report }: Part): string | undefined {
  const journal = 'journal' in report ? report.journal : report.run?.journal;
  return journal === undefined ? undefined : basename(journal);
}

function areRelated(one: Part, other: Part): boolean {
  const journal = journalOf(one);
  if (journal !== undefined && journal === journalOf(other)) return true;
  const files = filesOf(other);
  return filesOf(one).some((file) => files.some((it) => isSame(file, it) || nameOf(file) === nameOf(it)));
}

const nameOf = ({ name }: HashedFile): string => basename(name);
const isSame = (a: HashedFile, b: HashedFile): boolean => a.sha256 !== undefined && a.sha256 === b.sha256;

/** A file that was changed by hand between two steps. Journals change by nature. */
function findChanged(parts: readonly Part[]): string[] {
  const journals = new Set(parts.map(journalOf));
  const seen = new Map<string, File>();
  const warnings: string[] = [];
  for (const file of parts.flatMap(filesOf)) {
    const name = nameOf(file);
    const before = seen.get(name);
    seen.set(name, file);
    if (before?.sha256 === undefined || file.sha256 === undefined || journals.has(name)) continue;
    if (before.sha256 === file.sha256) continue;
    warnings.push(`${name} has changed between ${before.part.verb} and ${file.part.verb}.`);
  }
  return warnings;
}

/** The page would show one of them for all. */
function findShards(parts: readonly Part[]): string[] {
  return parts
    .filter(({ report }) => / --shard[ =]/.test(report.run?.command ?? ''))
    .map(({ file }) => `${file} is the report of one shard: \`idport merge\` adds up those of all.`);
}

function findTargets(parts: readonly Part[]): string[] {
  const targets = new Set(parts.flatMap(({ report }) => report.run?.target ?? []));
  return targets.size < 2 ? [] : [`The runs went to different services: ${[...targets].join(', ')}.`];
}

/** What would be refused was judged differently. */
function findProfiles(parts: readonly Part[]): string[] {
  const known = parts.flatMap(({ step, verb, report: { run } }) =>
    run?.profile === undefined || step === 'verify' || step === 'undo'
      ? []
      : [{ verb, profile: run.profile }],
  );
  if (new Set(known.map(({ profile }) => profile)).size < 2) return [];
  return [
    `The runs used different target profiles: ${known.map(({ verb, profile }) => `${verb} ${profile}`).join(', ')}.`,
  ];
}

/** Two runs that have no organization in common. */
function findOrgs(parts: readonly Part[]): string[] {
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
