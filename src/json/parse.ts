/** Parses batches of elements, and finds what is wrong with a broken one. */
import { JsonSyntaxError } from './error.ts';
import { buildPathTree } from './paths.ts';
import { jsonText } from './text.ts';
import { JsonWalker } from './walker.ts';
import { validLength } from './utf8.ts';

const opening = Uint8Array.of(0x5b);
const closing = Uint8Array.of(0x5d);

/**
 * The values of elements separated by commas. They are parsed in parts, so that V8 can collect each part while it is
 * young; `cuts` are the offsets of the commas between the parts. Throws `JsonSyntaxError` with the offset in `bytes`.
 */
export function* parseElements(bytes: Uint8Array, cuts: readonly number[] = []): Generator {
  let start = 0;
  for (const end of [...cuts, bytes.length]) {
    const text = jsonText(bytes.subarray(start, end));
    if (text === undefined) throw problemOf(bytes);
    yield* parseList(`[${text}]`, bytes);
    start = end + 1;
  }
}

function parseList(text: string, bytes: Uint8Array): unknown[] {
  try {
    return JSON.parse(text) as unknown[];
  } catch (error) {
    throw error instanceof SyntaxError ? problemOf(bytes) : error;
  }
}

function problemOf(bytes: Uint8Array): JsonSyntaxError {
  const valid = validLength(bytes);
  const problem = checkElements(bytes.subarray(0, valid));
  if (valid === bytes.length && problem !== undefined) return problem;
  if (problem !== undefined && problem.offset < valid) return problem;
  return new JsonSyntaxError('input:invalid-utf8', 'the bytes here are not UTF-8', valid);
}

/** The first error in a JSON text, or undefined. Copies nothing of it. */
export function checkJson(bytes: Uint8Array): JsonSyntaxError | undefined {
  return firstProblem((walker) => {
    walker.walk(bytes, 0, bytes.length, 0);
    walker.finish(bytes.length);
  });
}

/** The same for elements separated by commas. */
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

/** The last bracket before `end` has closed the list of elements itself. */
function unopened(bytes: Uint8Array, end: number): JsonSyntaxError {
  const at = bytes.lastIndexOf(0x5d, end - 1);
  return new JsonSyntaxError('input:syntax', '"]" stands where no array is open', at);
}

function firstProblem(walk: (walker: JsonWalker) => void): JsonSyntaxError | undefined {
  try {
    walk(
      new JsonWalker(buildPathTree([]), { opened: ignore, reached: ignore, absent: ignore, field: ignore }),
    );
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error;
    throw error;
  }
  return undefined;
}

function ignore(): void {}
