/** A batch of elements in, their values out; or, for a broken one, what is wrong with it and where. */
import { jsonListText } from './json-ascii.ts';
import { JsonSyntaxError } from './json-error.ts';
import { plantPaths } from './json-paths.ts';
import { JsonWalker } from './json-walk.ts';
import { validLength } from './utf8.ts';

const opening = Uint8Array.of(0x5b);
const closing = Uint8Array.of(0x5d);

/** Parses elements with commas between them. Throws `JsonSyntaxError` with the offset within `bytes`. */
export function parseElements(bytes: Uint8Array): unknown[] {
  const text = jsonListText(bytes);
  try {
    if (text !== undefined) return JSON.parse(text) as unknown[];
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw problemOf(bytes);
}

function problemOf(bytes: Uint8Array): JsonSyntaxError {
  const valid = validLength(bytes);
  const problem = checkElements(bytes.subarray(0, valid));
  if (valid === bytes.length && problem !== undefined) return problem;
  if (problem !== undefined && problem.offset < valid) return problem;
  return new JsonSyntaxError('input:invalid-utf8', 'the bytes here are not UTF-8', valid);
}

/** The first thing wrong with a JSON text, or undefined. Holds nothing of it in memory. */
export function checkJson(bytes: Uint8Array): JsonSyntaxError | undefined {
  return firstProblem((walker) => {
    walker.walk(bytes, 0, bytes.length, 0);
    walker.finish(bytes.length);
  });
}

/** The same for elements with commas between them. */
function checkElements(bytes: Uint8Array): JsonSyntaxError | undefined {
  const problem = firstProblem((walker) => {
    walker.walk(opening, 0, 1, -1);
    walker.walk(bytes, 0, bytes.length, 0);
  });
  if (problem?.code === 'input:trailing-garbage') return unopened(bytes, problem.offset);
  if (problem !== undefined) return problem;
  const atEnd = firstProblem((walker) => {
    walker.walk(opening, 0, 1, -1);
    walker.walk(bytes, 0, bytes.length, 0);
    walker.walk(closing, 0, 1, bytes.length);
    walker.finish(bytes.length);
  });
  if (atEnd?.code === 'input:trailing-garbage') return unopened(bytes, bytes.length);
  return atEnd && new JsonSyntaxError('input:truncated', 'it ends in the middle of a value', bytes.length);
}

/** The bracket in front of `end` closed the list of elements itself. */
function unopened(bytes: Uint8Array, end: number): JsonSyntaxError {
  const at = bytes.lastIndexOf(0x5d, end - 1);
  return new JsonSyntaxError('input:syntax', '"]" stands where no array is open', at);
}

function firstProblem(walk: (walker: JsonWalker) => void): JsonSyntaxError | undefined {
  try {
    walk(new JsonWalker(plantPaths([]), { opened: ignore, reached: ignore, absent: ignore, field: ignore }));
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error;
    throw error;
  }
  return undefined;
}

function ignore(): void {}
