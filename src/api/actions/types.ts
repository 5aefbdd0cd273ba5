/** Targets and executions as all generations of the actions API share them. */
import type { Condition } from '../../wire/action-condition.ts';
import type { TargetBasics } from '../../wire/actions.ts';

/** The generations of the interface, the newest first. */
export const generations = ['v2', 'v3alpha'] as const;
export type Generation = (typeof generations)[number];

export const payloadForms = ['json', 'jwt', 'jwe'] as const;
export type PayloadForm = (typeof payloadForms)[number];

export interface TargetSettings extends TargetBasics {
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

export interface RegisteredExecution {
  readonly condition: Condition;
  /** Ids, in the order in which they are called. */
  readonly targets: readonly string[];
  /** Executions whose targets are called as well; only the oldest generation has them. */
  readonly includes: readonly Condition[];
}

/** What conditions may name at this service. */
export type NameKind = 'methods' | 'services' | 'functions';
