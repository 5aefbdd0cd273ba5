/** Targets, their keys and executions as tables of the store, for both generations of the interface. */
import { randomInt } from 'node:crypto';
import type { Condition } from '../../wire/action-condition.ts';
import type { PayloadType } from '../../wire/actions.ts';
import type { Store } from '../store/store.ts';
import type { Table } from '../store/table.ts';
import { bestMatch } from './condition.ts';
import type { Brand, MethodNames } from './names.ts';

export type TargetKind = 'webhook' | 'call' | 'async';

export interface TargetRow {
  readonly id: string;
  readonly name: string;
  readonly kind: TargetKind;
  readonly interruptOnError: boolean;
  readonly endpoint: string;
  /** In milliseconds. */
  readonly timeout: number;
  readonly payloadType: PayloadType;
  /** Secret. */
  readonly signingKey: string;
  readonly created: number;
  readonly changed: number;
  readonly sequence: number;
}

/** A key with which payloads for a target are encrypted. */
export interface TargetKeyRow {
  readonly id: string;
  readonly targetId: string;
  /** PEM. */
  readonly publicKey: string;
  readonly fingerprint: string;
  readonly active: boolean;
  /** 0: never. */
  readonly expires: number;
  readonly created: number;
  readonly changed: number;
}

/** `target` is a target's id, `include` the id of another execution whose targets are taken. */
export type ExecutionEntry = { readonly target: string } | { readonly include: string };

/** Which generation set it: the first one gets the payload of the documentation, the second that of the service. */
export type Generation = 'v3alpha' | 'v2';

export interface ExecutionRow {
  /** See `conditionId`. */
  readonly id: string;
  /** As it was written, so that it reads back the same. */
  readonly condition: Condition;
  readonly generation: Generation;
  readonly entries: readonly ExecutionEntry[];
  readonly created: number;
  readonly changed: number;
  readonly sequence: number;
}

export interface Registry {
  readonly targets: Table<TargetRow>;
  /** Index `target`. */
  readonly targetKeys: Table<TargetKeyRow>;
  readonly executions: Table<ExecutionRow>;
  /** Removes it from every execution as well. The time of the deletion, also of an earlier one. */
  deleteTarget(id: string, now: number): number | undefined;
  /** The targets to call for `request/...`, `response/...` or `event/...`, in order; undefined when nothing applies. */
  match(requested: string): { execution: ExecutionRow; targets: TargetRow[] } | undefined;
}

export function createRegistry(store: Store): Registry {
  const targets = store.table<TargetRow>('targets');
  const targetKeys = store.table<TargetKeyRow>('targetKeys', { target: (row) => row.targetId });
  const executions = store.table<ExecutionRow>('executions');
  const deletedTargets = store.table<{ id: string; deleted: number }>('deletedTargets');

  const targetsOf = (execution: ExecutionRow, seen: Set<string>): TargetRow[] => {
    if (seen.has(execution.id)) return [];
    seen.add(execution.id);
    return execution.entries.flatMap((entry) => {
      if ('target' in entry) return targets.get(entry.target) ?? [];
      const included = executions.get(entry.include);
      return included === undefined ? [] : targetsOf(included, seen);
    });
  };

  return {
    targets,
    targetKeys,
    executions,
    deleteTarget(id, now) {
      if (!targets.has(id)) return deletedTargets.get(id)?.deleted;
      targetKeys.deleteBy('target', id);
      for (const row of executions.values()) {
        const entries = row.entries.filter((entry) => !('target' in entry) || entry.target !== id);
        if (entries.length < row.entries.length) executions.put({ ...row, entries });
      }
      targets.delete(id);
      return deletedTargets.put({ id, deleted: now }).deleted;
    },
    match(requested) {
      if (executions.size === 0) return undefined;
      const filled = [...executions.values()].filter((row) => row.entries.length > 0);
      const execution = bestMatch(filled, requested);
      return execution && { execution, targets: targetsOf(execution, new Set()) };
    },
  };
}

const keyAlphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** 36 letters and digits, as the service makes them. */
export function newSigningKey(): string {
  return Array.from({ length: 36 }, () => keyAlphabet[randomInt(keyAlphabet.length)]).join('');
}

/** What all parts of the actions feature share on one server. */

export interface ActionsSetup {
  readonly registry: Registry;
  readonly names: MethodNames;
  /** Brand of the names that go out: lists of conditions, payloads. */
  readonly brand: Brand;
  /** Targets may stand at private and loopback addresses. */
  readonly allowPrivate: boolean;
  /** False: the first generation answers that the feature is not enabled; the second never asks. */
  readonly enabled: boolean;
}
