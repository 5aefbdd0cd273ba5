/** A body and the plan of its run in, its entries in the order of sending out: each fit to be sent, or why not. */
import { IdportError } from '../../errors.ts';
import type { Input } from '../../lib/input.ts';
import { readEntries, type RawEntry } from '../../sources/org-data/entries.ts';
import type { Survey } from '../../sources/org-data/survey.ts';
import { readEntry, type Entry, type Unfit } from '../../targets/bulk/entry.ts';
import type { Plan, Round } from './plan.ts';

export interface ImportSource {
  readonly input: Input;
  readonly survey: Survey;
  readonly plan: Plan;
  /** Names of organizations to create, by id. */
  readonly creates: ReadonlyMap<string, string>;
}

export interface PlannedEntry {
  readonly number: number;
  readonly list: string;
  readonly orgId: string;
  /** Its place in the list, over all organizations. */
  readonly index: number;
  /** As it stands in the input. */
  readonly text: string;
  read(): Entry | Unfit;
}

/** Of an entry that cannot be read, the id may still be found; else empty. */
export function guessId(text: string): string {
  return /"(?:userId|user_id|id)"\s*:\s*"([^"\\]{1,200})"/.exec(text)?.[1] ?? '';
}

/** Reads the input once for each list (or for `lists` alone). Throws when it is not what the survey saw any more. */
export async function* planEntries(
  { input, survey, plan, creates }: ImportSource,
  lists?: readonly string[],
): AsyncGenerator<PlannedEntry> {
  const { firstForm } = survey;
  for (const round of plan.rounds) {
    const { list } = round;
    if (lists?.includes(list) === false) continue;
    let number = round.start;
    for await (const { org, text } of roundEntries(input, survey, round, creates)) {
      const orgId = survey.orgs[org]?.orgId ?? '';
      const place = { number, list, orgId, firstForm };
      yield { number, list, orgId, index: number - round.start, text, read: () => readEntry(place, text) };
      number += 1;
    }
    if (number !== round.start + round.count) throw changed(input.name);
  }
}

/** The entries of a list; among the organizations, those that are to be created and have no such entry of their own. */
async function* roundEntries(
  input: Input,
  { orgs }: Survey,
  { list }: Round,
  creates: ReadonlyMap<string, string>,
): AsyncGenerator<RawEntry> {
  if (list !== 'org' || creates.size === 0) {
    yield* readEntries(input, list);
    return;
  }
  let next = 0;
  const nameless = function* (end: number): Generator<RawEntry> {
    for (; next < end; next++) {
      const name = creates.get(orgs[next]?.orgId ?? '');
      if (name !== undefined) yield { org: next, text: JSON.stringify({ org: { name } }), offset: 0 };
    }
  };
  for await (const entry of readEntries(input, list)) {
    yield* nameless(entry.org);
    const name = creates.get(orgs[entry.org]?.orgId ?? '');
    yield name === undefined ? entry : { ...entry, text: withName(entry.text, name) };
    next = entry.org + 1;
  }
  yield* nameless(orgs.length);
}

function withName(text: string, name: string): string {
  return JSON.stringify({ ...(JSON.parse(text) as object), org: { name } });
}

function changed(name: string): IdportError {
  return new IdportError('input:changed', `${name} has changed while it was being read`, {
    hint: 'Let nothing write to it during the import.',
  });
}
