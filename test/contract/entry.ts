/** What an entry of the coverage table is, and how each kind of claim can be checked against the code. */
import type { z } from 'zod';

/** `differs because ...` where this server does something else on purpose. */
export type Answer = 'yes' | 'no' | `differs because ${string}`;

export interface CallEntry {
  /** `POST /v2/users/{user_id}/lock`, as the table of methods has it. */
  readonly call: string;
  readonly answer: Answer;
}

export interface FieldEntry {
  readonly schema: z.ZodType;
  /** As the contract calls the message. */
  readonly message: string;
  readonly field: string;
  readonly answer: Answer;
}

export interface IdEntry {
  readonly id: string;
  readonly meaning: string;
  readonly answer: Answer;
}

export interface RuleEntry {
  readonly rule: string;
  readonly answer: Answer;
  /** A test file and a part of the title of a test in it; absent where the answer is no. */
  readonly proof?: readonly [file: string, title: string];
}

/** One section of the wire contract, or of the interface description (`spec`). */
export interface Section<Entry> {
  readonly section: string;
  readonly title: string;
  readonly entries: readonly Entry[];
}

/** Calls of one section; `changes` names those that are not simply answered as there. */
export function calls(
  section: string,
  title: string,
  list: readonly string[],
  changes: Readonly<Record<string, Answer>> = {},
): Section<CallEntry> {
  const entries = list.map((call): CallEntry => ({ call, answer: changes[call] ?? 'yes' }));
  return { section, title, entries };
}

/** Fields of one message, named in a line; `changes` names those that are not simply read and written as there. */
export function fields(
  section: string,
  message: string,
  schema: z.ZodType,
  names: string,
  changes: Readonly<Record<string, Answer>> = {},
): Section<FieldEntry> {
  const entries = names
    .split(' ')
    .map((field): FieldEntry => ({ schema, message, field, answer: changes[field] ?? 'yes' }));
  return { section, title: message, entries };
}

/** One rule, and the part of a test's title that proves it. */
type RuleLine = readonly [rule: string, file: string, title: string, answer?: Answer];

/** Rules of one section, each with its test; `missing` are those that the server does not hold. */
export function rules(
  section: string,
  title: string,
  lines: readonly RuleLine[],
  missing: readonly string[] = [],
): Section<RuleEntry> {
  const held = lines.map(([rule, file, test, answer = 'yes']): RuleEntry => {
    return { rule, answer, proof: [`test/${file}.test.ts`, test] };
  });
  return {
    section,
    title,
    entries: [...held, ...missing.map((rule): RuleEntry => ({ rule, answer: 'no' }))],
  };
}
