/** Steps of a plan in, each done at the service, in order; what was created out. */
import type { ActionsApi, CreatedTarget } from '../../api/actions/types.ts';
import { isChange, type Step } from './plan.ts';

export interface AppliedTarget extends CreatedTarget {
  readonly name: string;
}

/**
 * `onCreated` is awaited before the next step, so that no signing key is lost when a later step fails; `onDone`
 * comes after each step that changed something. What `ApiError` it throws leaves the steps before it done: planning
 * and applying again goes on from there.
 */
export async function applySteps(
  steps: readonly Step[],
  api: ActionsApi,
  onCreated: (target: AppliedTarget) => Promise<void>,
  onDone: (step: Step) => void,
): Promise<void> {
  const created = new Map<string, string>();
  const perform: Performers = {
    'create-target': async ({ settings }) => {
      const target = await api.createTarget(settings);
      created.set(settings.name, target.id);
      await onCreated({ ...target, name: settings.name });
    },
    'update-target': ({ id, settings }) => api.updateTarget(id, settings),
    'delete-target': ({ id }) => api.deleteTarget(id),
    'set-execution': ({ condition, targets }) =>
      api.setExecution(
        condition,
        targets.map(({ id, name }) => id ?? created.get(name) ?? name),
      ),
    'clear-execution': ({ condition }) => api.clearExecution(condition),
    'keep-target': async () => {},
    'keep-execution': async () => {},
  };
  for (const step of steps.filter(isChange)) {
    await (perform[step.do] as (step: Step) => Promise<void>)(step);
    onDone(step);
  }
}

type Performers = { readonly [Kind in Step['do']]: (step: Extract<Step, { do: Kind }>) => Promise<void> };
