/** Reads and checks an actions file (YAML or JSON). */
import { pathText } from '../../lib/json-value.ts';
import type { Document } from 'yaml';
import { z } from 'zod';
import { type InputCode, InputError } from '../../errors.ts';
import { conditionKey, describeCondition } from '../../api/actions/condition.ts';
import { actionsFile, type ActionsFile } from '../../wire/actions-file.ts';

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
