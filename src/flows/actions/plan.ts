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
interface TargetRef {
  readonly id: string | undefined;
  readonly name: string;
}

type Change =
  /** Without an id, the target is created. */
  | { readonly settings: TargetSettings; readonly id: string | undefined }
  | { readonly condition: ConditionInput; readonly targets: readonly TargetRef[] };

export interface Step {
  /** Begins with `+` for new, `~` for changed or `=` for unchanged. */
  readonly text: string;
  /** Not set if nothing changes. */
  readonly change?: Change;
}

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
  return [
    ...settings.map((target) => planTarget(target, state.targets)),
    ...file.executions.map((execution) => planExecution(execution, names, state)),
    ...listOthers(file, names, state),
  ];
}

function planTarget(settings: TargetSettings, targets: readonly RegisteredTarget[]): Step {
  const { name, kind, timeoutMs, endpoint } = settings;
  const named = targets.filter((target) => target.name === name);
  if (named.length === 0) {
    const text = `+ target ${name} (${kind}, ${timeoutMs / 1000}s, ${endpoint})`;
    return { text, change: { settings, id: undefined } };
  }
  const found = findTarget(named, name);
  const changes = compare(found, settings);
  if (changes.length === 0) return { text: `= target ${name}` };
  return { text: `~ target ${name}: ${changes.join(', ')}`, change: { settings, id: found.id } };
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
  const isSame =
    current?.includes.length === 0 &&
    current.targets.length === refs.length &&
    current.targets.every((id, place) => id === refs[place]?.id);
  const what = `execution ${describeCondition(condition)}:`;
  const after = refs.map(({ name }) => name).join(', ');
  if (isSame) return { text: `= ${what} ${after}` };
  const before = current === undefined ? '' : namesOf(current, state.targets);
  const text = before === '' ? `+ ${what} ${after}` : `~ ${what} ${before} -> ${after}`;
  return { text, change: { condition, targets: refs } };
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

/** Describes what the service has and the file does not list. */
function listOthers(file: ActionsFile, names: ReadonlySet<string>, state: ServiceState): Step[] {
  const kept = new Set(file.executions.map(({ condition }) => conditionKey(condition)));
  const executions = state.executions.flatMap((execution) => {
    const before = namesOf(execution, state.targets);
    if (before === '' || kept.has(conditionKey(execution.condition))) return [];
    return `execution ${describeCondition(execution.condition)}: ${before}`;
  });
  const called = new Set(file.executions.flatMap(({ targets }) => targets));
  const targets = state.targets
    .filter(({ id, name }) => !names.has(name) && !called.has(id) && !called.has(name))
    .map(({ name }) => `target ${name}`);
  return [...executions, ...targets].map((what) => ({ text: `= ${what} (not in the file)` }));
}

/** Empty if the execution calls nothing. */
export function namesOf({ targets, includes }: RegisteredExecution, all: readonly RegisteredTarget[]) {
  return [
    ...targets.map((id) => all.find((target) => target.id === id)?.name ?? id),
    ...includes.map((condition) => `those of "${describeCondition(condition)}"`),
  ].join(', ');
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
  const make = async (change: Change) => {
    if ('condition' in change) {
      const ids = change.targets.map(({ id, name }) => id ?? created.get(name) ?? name);
      return api.setExecution(change.condition, ids);
    }
    const { settings, id } = change;
    if (id !== undefined) return api.updateTarget(id, settings);
    const { name } = settings;
    // Open it before the call, because the service may show the key only once.
    const keep = openKey(name);
    const target = await api.createTarget(settings);
    created.set(name, target.id);
    return keep({ ...target, name });
  };
  const changes = steps.flatMap(({ change }) => change ?? []);
  for (const [made, change] of changes.entries()) {
    await make(change).catch((error: unknown) => {
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

function describeIssue({ issues }: z.ZodError) {
  const { path, message } = issues[0]!;
  return `${pathText(path) || 'the file'}: ${message}`;
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
