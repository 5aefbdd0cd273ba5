/** What all parts of the actions feature share on one server. */
import type { Brand, MethodNames } from './names.ts';
import type { Registry } from './registry.ts';

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
