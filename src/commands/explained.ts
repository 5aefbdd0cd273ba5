/** Cause, consequence and remedy of every reason code and of every error id of the service. */
import { remedyFor } from '../api/refusals.ts';
import { type Reason, reasons } from '../records/reasons.ts';
import { serviceErrors } from '../wire/service-errors.ts';

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
  return Array.from(serviceErrors.values(), ({ id, help, title, meaning, consequence }) => ({
    code: id,
    kind: 'error of the service',
    cause: `${title}: ${meaning}.`,
    consequence,
    remedy: remedyFor({ id, org: '<id>' }) ?? remedies[help] ?? '',
  }));
}

/** What helps where the client says nothing of it: the message of the service is enough there. */
const remedies: Readonly<Record<string, string>> = {
  hash: '`idport check` says which hashes the target takes, and which of its settings to change.',
  password: 'Choose a password that the policy of the organization takes.',
  taken: 'Nothing to do if a previous run created it; otherwise rename or remove one of the two.',
  missing: 'Check the id, or create what is missing first.',
  field: 'Fix the field in the body or in the rejects file, and import that file.',
  request: 'Fix what the cause names in the request, and send it again.',
};
