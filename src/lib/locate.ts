/** Finds the line and the column of a byte offset by reading the input once more, for error messages. */
import { InputError, type Position } from '../errors.ts';
import type { Input } from './input.ts';

/** Line and column count from 1; the column is in characters. Both are absent if the input cannot be read twice. */
export async function locate(input: Input, offset: number): Promise<Position> {
  if (!input.repeatable) return { offset };
  let seen = 0;
  let line = 1;
  let column = 1;
  for await (const block of input.blocks()) {
    const end = Math.min(block.length, offset - seen);
    for (let at = 0; at < end; at++) {
      const byte = block[at]!;
      if (byte === 0x0a) {
        line++;
        column = 1;
      } else if ((byte & 0xc0) !== 0x80) {
        column++;
      }
    }
    seen += end;
    if (seen === offset) break;
  }
  return { offset, line, column };
}

/** Adds line and column to an error with a position in one of these inputs. Returns any other error unchanged. */
export async function withLine(error: unknown, inputs: readonly Input[]) {
  if (!(error instanceof InputError) || error.position === undefined || error.position.line !== undefined) {
    return error;
  }
  const input = inputs.find((candidate) => candidate.name === error.input);
  if (input === undefined || !input.repeatable) return error;
  try {
    return error.toldAs(error.problem, await locate(input, error.position.offset));
  } catch {
    return error;
  }
}
