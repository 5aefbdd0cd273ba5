/** Targets and executions as all generations of the actions API share them. */
import type { Condition, ConditionInput } from '../../wire/action-condition.ts';

/** The generations of the interface, the newest first. */
export const generations = ['v2', 'v3alpha'] as const;
export type Generation = (typeof generations)[number];

/** How the response of a target is treated: only its status, its body too, or not at all. */
export const targetKinds = ['webhook', 'call', 'async'] as const;
export type TargetKind = (typeof targetKinds)[number];

export const payloadForms = ['json', 'jwt', 'jwe'] as const;
export type PayloadForm = (typeof payloadForms)[number];

export interface TargetSettings {
  readonly name: string;
  readonly endpoint: string;
  readonly timeoutMs: number;
  readonly kind: TargetKind;
  /** Whether a failed call fails the call that triggered it; an async target cannot. */
  readonly interruptOnError: boolean;
  readonly payload: PayloadForm;
}

export interface RegisteredTarget extends TargetSettings {
  readonly id: string;
  /** RFC 3339, or empty where the service does not say. */
  readonly createdAt: string;
  readonly changedAt: string;
  /** Undefined where the service does not give it again. Secret. */
  readonly signingKey: string | undefined;
}

export interface CreatedTarget {
  readonly id: string;
  /** Undefined where the service does not sign. Secret. */
  readonly signingKey: string | undefined;
}

export interface RegisteredExecution {
  readonly condition: Condition;
  /** Ids, in the order in which they are called. */
  readonly targets: readonly string[];
  /** Executions whose targets are called as well; only the oldest generation has them. */
  readonly includes: readonly Condition[];
}

/** What conditions may name at this service. */
export type NameKind = 'methods' | 'services' | 'functions';

/** Every function throws `ApiError` where the service refuses. */
export interface ActionsApi {
  /** Undefined until one call has shown which generation the service speaks. */
  readonly generation: Generation | undefined;
  createTarget(settings: TargetSettings): Promise<CreatedTarget>;
  updateTarget(id: string, settings: TargetSettings): Promise<void>;
  /** Makes a new signing key; the old one ends at once. */
  rotateKey(id: string): Promise<string>;
  getTarget(id: string): Promise<RegisteredTarget>;
  listTargets(): Promise<RegisteredTarget[]>;
  deleteTarget(id: string): Promise<void>;
  /** Replaces the targets of the condition. */
  setExecution(condition: ConditionInput, targetIds: readonly string[]): Promise<void>;
  clearExecution(condition: ConditionInput): Promise<void>;
  listExecutions(): Promise<RegisteredExecution[]>;
  listNames(kind: NameKind): Promise<string[]>;
}
