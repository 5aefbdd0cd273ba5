/** Cause, consequence and remedy of every reason code and of every error id of the service. */
import { remedies } from '../api/remedies.ts';
import { type Reason, reasons } from '../records/reasons.ts';
import { errorIdSections } from '../server/error-ids.ts';

export interface Explained {
  readonly code: string;
  readonly kind: 'rejected' | 'skipped' | 'note' | 'error of the service';
  readonly cause: string;
  readonly consequence: string;
  readonly remedy: string;
}

/** In the order of docs/reasons.md, then of docs/api-errors.md. */
export function explainAll(): Explained[] {
  return [...explainReasons(), ...explainErrorIds()];
}

function explainReasons(): Explained[] {
  return Object.entries<Reason>(reasons).map(([code, { outcome, cause, consequence, remedy }]) => ({
    code,
    kind: outcome,
    cause,
    consequence,
    remedy,
  }));
}

export function explainErrorIds(): Explained[] {
  const listed = errorIdSections.flatMap(({ section, title, ids }) =>
    ids.map(({ id, meaning }) => explainId(id, `${title}: ${meaning}.`, consequences[section])),
  );
  return [...listed, explainId('RECOVER', 'Any call: the service failed inside.', undefined)];
}

function explainId(code: string, cause: string, consequence = 'The call is refused.'): Explained {
  return { code, kind: 'error of the service', cause, consequence, remedy: remedyOf(code, cause) };
}

/** By the section of the wire contract that the ids belong to, as `server/error-ids.ts` has it. */
const consequences: Readonly<Record<string, string>> = {
  '1': 'The user is not created; in a bulk import the others of the request are.',
  '2.6-2.8': 'This entry of the import is not created; the others of the request are.',
  '4.3': 'Every call is refused, and the run stops; the journal keeps what is done.',
  '5.2': 'The call is refused and nothing was done; the run stops.',
  '6': 'The call is refused and nothing was changed.',
  '7': 'The user is not created.',
  '8.3': 'The user is not signed in; nothing else was changed.',
  '10': 'The call is refused and nothing was changed.',
};

/** What the client says about the id; else what follows from the cause. */
function remedyOf(id: string, cause: string): string {
  const row = remedies.find((row) => row.id?.includes(id) === true || row.text?.test(id) === true);
  if (row !== undefined) return row.remedy({ method: '', path: '', message: '', id, org: '<id>' });
  return byCause.find(([pattern]) => pattern.test(cause))?.[1] ?? lookAtIt;
}

const lookAtIt = 'Fix what the cause names in the request, and send it again.';

/** The first that fits counts. */
const byCause: readonly (readonly [RegExp, string])[] = [
  [/hash/i, '`idport check` says which hashes the target takes, and which of its settings to change.'],
  [/password without|password too short/i, 'Choose a password that the policy of the organization takes.'],
  [
    /already|is taken/i,
    'Nothing to do if a previous run created it; otherwise rename or remove one of the two.',
  ],
  [/does not exist|no user to check/i, 'Check the id, or create what is missing first.'],
  [
    /^(?:One user|Creating users|Bulk import)/,
    'Fix the field in the body or in the rejects file, and import that file.',
  ],
];
