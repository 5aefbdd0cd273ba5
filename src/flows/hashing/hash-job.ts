/** Runs on hashing threads: checks a typed password against a stored form, and makes bcrypt hashes. */
import type { SourceForm } from '../../records/hash-forms/form.ts';
import { verifyForm, type Secrets } from '../../records/hash-forms/verify-form.ts';
import { hashPassword } from '../convert/hash-plaintext.ts';
import type { Job } from '../../workers/job.ts';

export type HashTask =
  | { readonly do: 'verify'; readonly form: SourceForm; readonly password: string }
  | { readonly do: 'hash'; readonly password: string };

/** `problem` if the form cannot be checked. */
export type HashResult =
  | { readonly matches: boolean }
  | { readonly problem: string }
  | { readonly hash: string };

export interface HashSettings {
  readonly secrets: Secrets;
}

export function startJob({ secrets }: HashSettings): Job<HashTask, HashResult> {
  return {
    async work(task) {
      if (task.do === 'hash') return { hash: await hashPassword(task.password) };
      const verdict = await verifyForm(task.form, task.password, secrets);
      return typeof verdict === 'boolean' ? { matches: verdict } : { problem: verdict.detail };
    },
    buffersOfTask: () => [],
    buffersOfResult: () => [],
  };
}
