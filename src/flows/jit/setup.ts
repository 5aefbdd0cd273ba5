/** Registers the receiver for the two methods that carry passwords, removes it again, and reads the policies that affect it. */
import { conditionKey } from '../../api/actions/condition.ts';
import type { ActionsApi } from '../../api/actions/index.ts';
import { IdportError } from '../../errors.ts';
import type { ConditionInput } from '../../wire/actions.ts';
import { get, type Client } from '../../api/client.ts';
import { getLockoutPolicyResponse } from '../../wire/org-policies.ts';
import { sendsPasswordEmails } from '../messages/password-emails.ts';

export const loginMethods = [
  '/zitadel.session.v2.SessionService/CreateSession',
  '/zitadel.session.v2.SessionService/SetSession',
];

export type SetupState = Awaited<ReturnType<typeof readSetup>>;

/** Throws `actions:ambiguous` if more than one target has the name. */
export async function readSetup(api: ActionsApi, name: string) {
  const [targets, executions] = [await api.listTargets(), await api.listExecutions()];
  const named = targets.filter((target) => target.name === name);
  if (named.length > 1) {
    throw new IdportError(
      'actions:ambiguous',
      `more than one target has the name ${name}`,
      'Give another --name, or delete the one that is not the receiver.',
    );
  }
  const [target] = named;
  return {
    target,
    executions: loginMethods.map((method) => {
      const key = conditionKey(conditionOf(method));
      const found = executions.find(({ condition }) => conditionKey(condition) === key);
      const ids = found?.targets ?? [];
      // Target ids in the order in which they are called, and whether the receiver is one of them.
      return { method, isSet: target !== undefined && ids.includes(target.id), targets: ids };
    }),
  };
}

interface SetupRequest {
  readonly name: string;
  readonly endpoint: string;
  readonly timeoutMs: number;
  /** Awaited before the executions are set, so that the receiver can verify every call. */
  readonly onKey: (signingKey: string | undefined) => Promise<void>;
}

/** Creates or updates the target, and appends it to the execution of each method. */
export async function setUp(api: ActionsApi, request: SetupRequest) {
  const { name, endpoint, timeoutMs, onKey } = request;
  const settings = {
    name,
    endpoint,
    timeoutMs,
    kind: 'call',
    interruptOnError: false,
    payload: 'json',
  } as const;
  const before = await readSetup(api, name);
  let id = before.target?.id;
  if (id === undefined) {
    const created = await api.createTarget(settings);
    await onKey(created.signingKey);
    id = created.id;
  } else {
    await onKey(before.target?.signingKey);
    await api.updateTarget(id, settings);
  }
  for (const { method, targets, isSet } of before.executions) {
    if (!isSet) await api.setExecution(conditionOf(method), [...targets, id]);
  }
  return readSetup(api, name);
}

/** Removes the target from the executions before deleting it, so that no call waits for a deleted target. */
export async function takeDown(api: ActionsApi, name: string) {
  const before = await readSetup(api, name);
  const id = before.target?.id;
  if (id === undefined) return before;
  for (const { method, targets, isSet } of before.executions) {
    if (!isSet) continue;
    const others = targets.filter((target) => target !== id);
    if (others.length > 0) await api.setExecution(conditionOf(method), others);
    else await api.clearExecution(conditionOf(method));
  }
  await api.deleteTarget(id);
  return before;
}

function conditionOf(method: string): ConditionInput {
  return { request: { method } };
}

export type LoginPolicies = Awaited<ReturnType<typeof readLoginPolicies>>;

/** Reads the policies of an organization, or the defaults of the instance. */
export async function readLoginPolicies(client: Client, org?: string) {
  // Whether users get an email when their password changes. Undefined if the token may not read it.
  const sendsEmail = await sendsPasswordEmails(client, org);
  const path = `/management/v1/policies/${org === undefined ? 'default/' : ''}lockout`;
  const locks = await client.attempt(get(path, getLockoutPolicyResponse, { org }));
  return {
    org,
    sendsEmail,
    /** Number of wrong passwords that lock a user. 0 if users are never locked. */
    lockedAfter: locks.ok ? Number(locks.value.policy?.maxPasswordAttempts ?? 0) : 0,
  };
}
