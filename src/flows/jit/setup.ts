/**
 * Sets the receiver as a target of the two calls that have passwords, and takes it out again; reads the policies that
 * matter for it.
 */
import { conditionKey } from '../../api/actions/condition.ts';
import type { ActionsApi } from '../../api/actions/index.ts';
import { IdportError } from '../../errors.ts';
import type { ConditionInput } from '../../wire/actions.ts';
import type { Client } from '../../api/client.ts';
import { getLockoutPolicyResponse } from '../../wire/org-policies.ts';
import { sendsPasswordEmails } from '../messages/password-emails.ts';

export const loginMethods: readonly string[] = [
  '/zitadel.session.v2.SessionService/CreateSession',
  '/zitadel.session.v2.SessionService/SetSession',
];

export type SetupState = Awaited<ReturnType<typeof readSetup>>;

/** Throws `actions:ambiguous` where two targets have the name. */
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
      // The ids in the order in which they are called, and whether the receiver is among them.
      return { method, isSet: target !== undefined && ids.includes(target.id), targets: ids };
    }),
  };
}

interface SetupRequest {
  readonly name: string;
  readonly endpoint: string;
  readonly timeoutMs: number;
  /** Awaited before the executions are set, so that no call comes that cannot be verified. */
  readonly onKey: (signingKey: string | undefined) => Promise<void>;
}

/** Creates the target or changes its address, and adds it as the last one of each execution. */
export async function setUp(api: ActionsApi, request: SetupRequest): Promise<SetupState> {
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

/** The executions first, so that no call waits for a target that is gone. */
export async function takeDown(api: ActionsApi, name: string): Promise<SetupState> {
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

/** Of an organization, or the default of the instance. */
export async function readLoginPolicies(client: Client, org?: string) {
  // Users get an email when their password is changed; undefined where the token may not know.
  const sendsEmail = await sendsPasswordEmails(client, org);
  const locks = await client.attempt({
    method: 'GET',
    path: `/management/v1/policies/${org === undefined ? 'default/' : ''}lockout`,
    org,
    answer: getLockoutPolicyResponse,
  });
  return {
    org,
    sendsEmail,
    /** Wrong passwords that lock a user; 0 where none do. */
    lockedAfter: locks.ok ? Number(locks.value.policy?.maxPasswordAttempts ?? 0) : 0,
  };
}
