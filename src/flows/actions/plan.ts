/** Reads an actions file (YAML or JSON) and compares it with a service. The steps from one to the other are first shown, then applied. */
import { conditionKey, describeCondition } from '../../api/actions/condition.ts';
import type {
  ActionsApi,
  RegisteredExecution,
  RegisteredTarget,
  TargetSettings,
} from '../../api/actions/index.ts';
import { IdportError, type InputCode, InputError } from '../../errors.ts';
import { formatCounted } from '../../lib/format.ts';
import { type ActionsFile, actionsFile } from '../../wire/actions-file.ts';
import type { ConditionInput } from '../../wire/actions.ts';
import { findTarget } from './find-target.ts';
import { pathText } from '../../lib/json-value.ts';
import type { Document } from 'yaml';
import { z } from 'zod';

/** Target of an execution: an existing one with an id, or one that an earlier step creates. */
export interface TargetRef {
  readonly id: string | undefined;
  readonly name: string;
}

export type Step =
  | { readonly do: 'create-target'; readonly settings: TargetSettings }
  | {
      readonly do: 'update-target';
      readonly id: string;
      readonly settings: TargetSettings;
      /** Changes in words: `timeout 10s -> 20s`. */
      readonly changes: readonly string[];
    }
  /** `leave`: the service has the target, and the file does not list it. */
  | {
      readonly do: 'keep-target' | 'leave-target';
      readonly id: string;
      readonly name: string;
    }
  | {
      readonly do: 'set-execution' | 'keep-execution';
      readonly condition: ConditionInput;
      readonly targets: readonly TargetRef[];
      /** Names of the previous targets. Undefined if there was no execution. */
      readonly before: readonly string[] | undefined;
    }
  | {
      readonly do: 'leave-execution';
      readonly condition: ConditionInput;
      readonly before: readonly string[];
    };

export interface ServiceState {
  readonly targets: readonly RegisteredTarget[];
  readonly executions: readonly RegisteredExecution[];
}

/**
 * Returns steps in an order in which they can be done: executions never name a target that does not exist yet. What the file
 * does not list stays. Throws if a name is ambiguous or unknown.
 */
export function planActions(file: ActionsFile, state: ServiceState): Step[] {
  const settings = file.targets.map(({ timeout, ...target }) => ({ ...target, timeoutMs: timeout }));
  const names = new Set(settings.map(({ name }) => name));
  const targetSteps = settings.map((target) => planTarget(target, state.targets));
  const executionSteps = file.executions.map((execution) => planExecution(execution, names, state));
  return [...targetSteps, ...executionSteps, ...planUnlisted(file, names, state)];
}

export function isChange(step: Step) {
  return !/^(?:keep|leave)-/.test(step.do);
}

function planTarget(settings: TargetSettings, targets: readonly RegisteredTarget[]): Step {
  const named = targets.filter(({ name }) => name === settings.name);
  if (named.length === 0) return { do: 'create-target', settings };
  const found = findTarget(named, settings.name);
  const changes = compare(found, settings);
  const { id, name } = found;
  return changes.length === 0
    ? { do: 'keep-target', id, name }
    : { do: 'update-target', id, settings, changes };
}

function compare(before: TargetSettings, after: TargetSettings) {
  const shown = (settings: TargetSettings): Record<string, string> => ({
    endpoint: settings.endpoint,
    timeout: `${settings.timeoutMs / 1000}s`,
    kind: settings.kind,
    'interrupt on error': settings.interruptOnError && settings.kind !== 'async' ? 'yes' : 'no',
    payload: settings.payload,
  });
  const [old, next] = [shown(before), shown(after)];
  return Object.keys(old)
    .filter((field) => old[field] !== next[field])
    .map((field) => `${field} ${old[field]} -> ${next[field]}`);
}

function planExecution(
  { condition, targets }: ActionsFile['executions'][number],
  names: ReadonlySet<string>,
  state: ServiceState,
): Step {
  const refs = targets.map((target) => resolve(target, names, state));
  const key = conditionKey(condition);
  const current = state.executions.find((execution) => conditionKey(execution.condition) === key);
  const same =
    current?.includes.length === 0 &&
    current.targets.length === refs.length &&
    current.targets.every((id, place) => id === refs[place]?.id);
  return {
    do: same ? 'keep-execution' : 'set-execution',
    condition,
    targets: refs,
    before: current === undefined || isEmpty(current) ? undefined : namesOf(current, state),
  };
}

/** Resolves names in the file first, since such a target may be about to be created. */
function resolve(idOrName: string, names: ReadonlySet<string>, state: ServiceState): TargetRef {
  if (names.has(idOrName)) {
    const found = state.targets.find(({ name }) => name === idOrName);
    return { id: found?.id, name: idOrName };
  }
  const { id, name } = findTarget(state.targets, idOrName);
  return { id, name };
}

function planUnlisted(file: ActionsFile, names: ReadonlySet<string>, state: ServiceState) {
  const kept = new Set(file.executions.map(({ condition }) => conditionKey(condition)));
  const executions = state.executions
    .filter((execution) => !isEmpty(execution) && !kept.has(conditionKey(execution.condition)))
    .map((execution): Step => ({
      do: 'leave-execution',
      condition: execution.condition,
      before: namesOf(execution, state),
    }));
  const targets = state.targets
    .filter(
      ({ id, name }) =>
        !names.has(name) &&
        !file.executions.some(({ targets }) => targets.includes(id) || targets.includes(name)),
    )
    .map(({ id, name }): Step => ({ do: 'leave-target', id, name }));
  return [...executions, ...targets];
}

const isEmpty = ({ targets, includes }: RegisteredExecution) => targets.length === 0 && includes.length === 0;

function namesOf({ targets, includes }: RegisteredExecution, state: ServiceState) {
  return [
    ...targets.map((id) => state.targets.find((target) => target.id === id)?.name ?? id),
    ...includes.map((condition) => `those of "${describeCondition(condition)}"`),
  ];
}

interface AppliedTarget extends Awaited<ReturnType<ActionsApi['createTarget']>> {
  readonly name: string;
}

/**
 * Waits for the function that `openKey` returned before the next step, so that no signing key is lost if a later step fails. An
 * error says how many changes were made. Planning and applying again continues from there.
 */
export async function applySteps(
  steps: readonly Step[],
  api: ActionsApi,
  openKey: (name: string) => (target: AppliedTarget) => Promise<void>,
) {
  const created = new Map<string, string>();
  const perform = async (step: Step) => {
    switch (step.do) {
      case 'create-target': {
        const { name } = step.settings;
        // Open it before the call, because the service may show the key only once.
        const keep = openKey(name);
        const target = await api.createTarget(step.settings);
        created.set(name, target.id);
        return keep({ ...target, name });
      }
      case 'update-target':
        return api.updateTarget(step.id, step.settings);
      case 'set-execution': {
        const ids = step.targets.map(({ id, name }) => id ?? created.get(name) ?? name);
        return api.setExecution(step.condition, ids);
      }
      default:
        return undefined;
    }
  };
  const changes = steps.filter(isChange);
  for (const [made, step] of changes.entries()) {
    await perform(step).catch((error: unknown) => {
      if (!(error instanceof IdportError)) throw error;
      const next = `${made} of ${formatCounted(changes.length, 'change')} were made. Run it again for the others.`;
      error.hint = error.hint === undefined ? next : `${error.hint} ${next}`;
      throw error;
    });
  }
}

/** Throws `InputError` that names the place of the problem. */
export async function readActionsFile(path: string, text: string): Promise<ActionsFile> {
  // A file that was cut off must not remove everything.
  if (text === '') throw refuse(path, 'it is empty', 'input:empty');
  const { LineCounter, parseDocument } = await import('yaml');
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter });
  const [broken] = document.errors;
  if (broken !== undefined) {
    const { line, col } = lineCounter.linePos(broken.pos[0]);
    const problem = broken.message.split(' at line ')[0] ?? '';
    const position = { offset: Buffer.byteLength(text.slice(0, broken.pos[0])), line, column: col };
    throw new InputError(
      'input:not-yaml',
      path,
      `it is neither YAML nor JSON: ${problem}`,
      undefined,
      undefined,
      position,
    );
  }
  const checked = actionsFile.safeParse(valueOf(document, path) ?? {});
  if (!checked.success) throw refuse(path, describeIssue(checked.error));
  const duplicate = findDuplicate(checked.data);
  if (duplicate !== undefined) throw refuse(path, duplicate);
  return checked.data;
}

function valueOf(document: Document, path: string): unknown {
  try {
    return document.toJS();
  } catch {
    throw refuse(path, 'write out what its aliases (*name) stand for');
  }
}

function describeIssue(error: z.ZodError) {
  const [issue] = error.issues;
  if (issue === undefined) return 'not an actions file';
  return `${pathText(issue.path) || 'the file'}: ${issue.message}`;
}

function findDuplicate({ targets, executions }: ActionsFile) {
  const names = targets.map(({ name }) => name);
  const name = names.find((other, place) => names.indexOf(other) !== place);
  if (name !== undefined) return `the target ${name} is in it twice`;
  const keys = executions.map(({ condition }) => conditionKey(condition));
  const place = keys.findIndex((key, at) => keys.indexOf(key) !== at);
  const execution = executions[place];
  if (execution === undefined) return undefined;
  return `the execution for "${describeCondition(execution.condition)}" is in it twice`;
}

function refuse(path: string, problem: string, code: InputCode = 'input:actions-file') {
  return new InputError(code, path, problem, 'docs/webhooks.md shows an example of such a file.');
}
