/**
 * Handles the email that tells users of a changed password: whether an organization sends it, and how to switch it off
 * temporarily. Replacing a hash counts as such a change.
 */
import { memoized } from '../../lib/strings.ts';
import { rmSync } from 'node:fs';
import { z } from 'zod';
import { get, type Client } from '../../api/client.ts';
import { InputError } from '../../errors.ts';
import { tryParseJson } from '../../lib/json-value.ts';
import { messagesOfChange, type Messages } from '../../records/messages.ts';
import type { UserRecord } from '../../records/user.ts';
import { appendOwnLines, readOwnLines } from '../../storage/own-lines.ts';
import { detailsResponse } from '../../wire/details.ts';
import { getNotificationPolicyResponse } from '../../wire/org-policies.ts';
import { type PreviousState, isNewPart, textsOf } from '../incremental/fingerprint.ts';

export const policyPath = '/management/v1/policies/notification';

/** Returns undefined if the token may not read the policy. Without `org`, reads the default of the instance. */
export async function sendsPasswordEmails(client: Client, org?: string) {
  const at = org === undefined ? '/management/v1/policies/default/notification' : policyPath;
  const end = await client.attempt(get(at, getNotificationPolicyResponse, { org }));
  return end.ok ? end.value.policy?.passwordChange === true : undefined;
}

export type PasswordEmails = ReturnType<typeof createPasswordEmails>;

/**
 * Decides which changes of a run send their user an email. Each organization is asked once. If `isMuted`, the run switches the
 * emails off while it is working.
 */
export function createPasswordEmails(client: Client, isMuted: boolean) {
  const sends = memoized((org) => sendsPasswordEmails(client, org), Infinity);
  const emails = {
    isMuted,
    /** Organizations that send the emails and have users whose password has changed. */
    orgs: new Set<string>(),
    /** Returns the messages to a user in an organization, compared with what a previous run left. */
    async messagesOf(record: UserRecord, before: PreviousState, org: string): Promise<Messages> {
      const isNew = textsOf(record).password !== '' && isNewPart(before, record, 'password');
      if (!isNew) return messagesOfChange(false, undefined);
      const isSent = await sends(org);
      if (isSent !== false) emails.orgs.add(org);
      return messagesOfChange(true, emails.isMuted ? false : isSent);
    },
  };
  return emails;
}

/** An organization whose email was switched off. `hadOwn`: it had a policy of its own before. */
const mutedOrg = z.object({ org: z.string().min(1), hadOwn: z.boolean() });

const own = { beginning: '{"org":"', what: 'a list of muted organizations', advice: 'move it away' };

/** Switches the email off where it is on, and notes in the file what to undo. Throws `ApiError`. */
export async function muteOrgs(client: Client, orgs: Iterable<string>, file: string) {
  for (const org of orgs) {
    const policy = await readPolicy(client, org);
    if (!policy?.passwordChange) continue;
    const hadOwn = !policy.isDefault;
    // Written before the change, so that it can be undone after a crash.
    appendOwnLines(file, own, [{ org, hadOwn }]);
    await change(client, org, hadOwn ? 'PUT' : 'POST', { passwordChange: false });
  }
}

/**
 * Restores the previous policies, except those that someone has changed since, and deletes the file. Returns the organizations
 * and whether each was restored. Throws `ApiError`, and `InputError` if the file is something else.
 */
export async function unmuteOrgs(client: Client, file: string) {
  const ended = new Map<string, boolean>();
  for (const { org, hadOwn } of readMuted(file)) {
    const policy = await readPolicy(client, org);
    const isMuted = policy !== undefined && !policy.passwordChange && !policy.isDefault;
    ended.set(org, isMuted || ended.get(org) === true);
    if (!isMuted) continue;
    if (hadOwn) await change(client, org, 'PUT', { passwordChange: true });
    else await change(client, org, 'DELETE');
  }
  rmSync(file, { force: true });
  return ended;
}

/** Returns no organizations if there is no file. Throws `InputError`. */
export function readMuted(file: string) {
  return readOwnLines(file, own).lines.flatMap((line, at) => {
    if (line === '') return [];
    const muted = mutedOrg.safeParse(tryParseJson(line)).data;
    if (muted !== undefined) return [muted];
    throw new InputError('input:syntax', file, `line ${at + 1} names no organization without these emails`);
  });
}

/** Returns the file for the run of a journal. */
export const mutedFileOf = (journal: string) => `${journal}.muted`;

async function readPolicy(client: Client, org: string) {
  const { policy } = await client.call(get(policyPath, getNotificationPolicyResponse, { org }));
  return policy;
}

async function change(client: Client, org: string, method: 'POST' | 'PUT' | 'DELETE', body?: object) {
  await client.call({ method, path: policyPath, org, body, answer: detailsResponse });
}
