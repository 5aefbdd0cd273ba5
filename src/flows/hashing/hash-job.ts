/** Runs on hashing threads: checks a typed password against a stored form, and makes bcrypt hashes. */
import type { SourceForm } from '../../records/hash-forms/form.ts';
import { verifyForm, type Secrets } from '../../records/hash-forms/verify-form.ts';
import type { McfProblem } from '../../records/mcf/algorithm.ts';
import { hashPassword } from '../convert/hash-plaintext.ts';
import type { Job } from '../../workers/job.ts';

export interface HashTask {
  readonly password: string;
  /** The form against which the password is checked. Without one, the password is hashed. */
  readonly form?: SourceForm;
}

/** The hash, or what `verifyForm` says. */
type HashResult = string | boolean | McfProblem;

export function startJob(secrets: Secrets): Job<HashTask, HashResult> {
  return {
    work: ({ password, form }) =>
      form === undefined ? hashPassword(password) : verifyForm(form, password, secrets),
    buffersOfTask: () => [],
    buffersOfResult: () => [],
  };
}
