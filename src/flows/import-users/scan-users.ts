/**
 * The people of a source in, what importing them would take and bring about out: read to the end
 * before anything is sent.
 */
import type { Input } from '../../lib/input.ts';
import { forecastMail } from '../../records/mail.ts';
import { count, type Counts } from '../../records/tally.ts';
import type { Notice } from '../../sources/source.ts';
import { createChooser, namesOf, type Choice } from './select-users.ts';
import type { Belongings } from '../incremental/related-records.ts';
import { readLinkCalls, readMetadataCalls, type CarriedList } from './related-calls.ts';
import type { Fingerprints } from '../incremental/fingerprint.ts';
import { followUpsOf } from './follow-up.ts';
import { createInputHash, readInBatches, type PeopleSource, type Person } from '../source/read-users.ts';
import type { Plan } from './plan.ts';

export interface UsersSurvey {
  readonly plan: Plan;
  /** Who will be sent. */
  readonly chosen: number;
  /** Chosen, but they cannot be sent. */
  readonly rejected: number;
  /** Chosen because they changed since an earlier run. */
  readonly replaced: number;
  /** Calls altogether, look-ups and repeats not counted. */
  readonly requests: number;
  /** By kind. */
  readonly mails: Counts;
  /** Those of the choice that are nobody's. */
  readonly unknownUsers: readonly string[];
  readonly input: { readonly name: string; readonly bytes: number; readonly sha256: string };
}

export interface SurveyOptions {
  readonly fingerprints: Fingerprints;
  readonly belongings: Belongings;
  readonly followUp: boolean;
  readonly notify: (notice: Notice) => void;
  readonly onPerson: () => void;
}

export async function surveyPeople(
  source: PeopleSource,
  choice: Choice,
  { fingerprints, belongings, followUp, notify, onPerson }: SurveyOptions,
): Promise<UsersSurvey> {
  const choose = createChooser(choice, fingerprints);
  const hash = createInputHash();
  const mails: Counts = new Map();
  const unknownUsers = new Set(choice.users);
  let people = 0;
  let chosen = 0;
  let rejected = 0;
  let replaced = 0;
  let requests = 0;
  const look = (person: Person): void => {
    onPerson();
    people += 1;
    const { record } = person;
    if (unknownUsers.size > 0) for (const name of namesOf(record)) unknownUsers.delete(name);
    const choice = choose(person);
    if (!choice.take) return;
    if (record.kind === 'rejected') {
      rejected += 1;
      return;
    }
    chosen += 1;
    requests += 1 + (followUp ? followUpsOf(record).length : 0);
    if (choice.replace !== undefined) {
      replaced += 1;
      // A trial, a look-up, and the deletion.
      requests += 3;
    }
    const mail = record.kind === 'human' ? forecastMail(record) : 'none';
    if (mail !== 'none') count(mails, mail);
  };
  for await (const batch of readInBatches(source, { notify, onBytes: (block) => hash.add(block) })) {
    for (const person of batch) look(person);
  }
  const metadata = await countOf(source, belongings, 'userMetadata');
  const links = await countOf(source, belongings, 'userLinks');
  return {
    plan: { people, metadata, links },
    chosen,
    rejected,
    replaced,
    requests: requests + (followUp ? metadata + links : 0),
    mails,
    unknownUsers: [...unknownUsers],
    input: { name: source.inputs.map(({ name }) => name).join(', '), ...hash.finish() },
  };
}

const calls: Readonly<Record<CarriedList, (input: Input) => AsyncIterable<unknown>>> = {
  userMetadata: readMetadataCalls,
  userLinks: readLinkCalls,
};

async function countOf({ inputs }: PeopleSource, { counts }: Belongings, list: CarriedList): Promise<number> {
  if (!counts.has(list)) return 0;
  let count = 0;
  for (const input of inputs) for await (const _ of calls[list](input)) count += 1;
  return count;
}
