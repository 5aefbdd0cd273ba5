/** Tries one input, reduces an input that shows a defect, and writes it to a file. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { drawFrom, inputSeed } from './draw.ts';
import { Finding, type FindingKind, type OpenTarget } from './target.ts';

export interface Find {
  readonly target: string;
  readonly seed: number;
  readonly index: number;
  readonly kind: FindingKind;
  readonly message: string;
  /** The smallest input that was found, as base64. */
  readonly input: string;
  /** What was drawn, as base64. */
  readonly drawn: string;
}

/** Anything thrown that is not a finding is a crash. */
export function describeFailure(error: unknown): { kind: FindingKind; message: string } {
  if (error instanceof Finding) return { kind: error.kind, message: error.message };
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { kind: 'crash', message: stack.split('\n').slice(0, 6).join('\n') };
}

/** Tries one input and returns what is wrong. */
export async function tryInput(
  target: OpenTarget,
  input: Buffer,
  seed: number,
): Promise<ReturnType<typeof describeFailure> | undefined> {
  const warnings: string[] = [];
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = (warning) => void warnings.push(String(warning));
  try {
    await target.check(input, drawFrom(seed));
    // A library that warns does so on standard error, in its own words, and quotes what it has read.
    const [warning] = warnings;
    return warning === undefined
      ? undefined
      : { kind: 'secret', message: `a warning of the process: ${warning}` };
  } catch (error) {
    return describeFailure(error);
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Leaves parts out as long as the defect remains of the same kind, for at most `milliseconds`. */
export async function shrink(
  target: OpenTarget,
  input: Buffer,
  seed: number,
  kind: FindingKind,
  milliseconds = 5000,
) {
  const until = performance.now() + milliseconds;
  let smallest = input;
  for (let part = Math.ceil(input.length / 2); part >= 1; part = part === 1 ? 0 : Math.ceil(part / 2)) {
    for (let at = 0; at < smallest.length;) {
      if (performance.now() > until) return smallest;
      const shorter = Buffer.concat([smallest.subarray(0, at), smallest.subarray(at + part)]);
      await target.renew?.();
      const failure = await tryInput(target, shorter, seed);
      if (failure?.kind === kind) smallest = shorter;
      else at += part;
    }
  }
  return smallest;
}

export function seedOf({ seed, target, index }: Pick<Find, 'seed' | 'target' | 'index'>) {
  return inputSeed(seed, target, index);
}

/** Returns the path of the file. */
export function writeFind(folder: string, find: Find) {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${find.target}-${find.seed}-${find.index}.json`);
  writeFileSync(path, `${JSON.stringify(find, undefined, 2)}\n`);
  return path;
}

export function readFind(path: string) {
  return JSON.parse(readFileSync(path, 'utf8')) as Find;
}
