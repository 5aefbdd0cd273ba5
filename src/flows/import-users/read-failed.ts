/** The report of an earlier run in; who was rejected there out. */
import { UsageError } from '../../errors.ts';
import { reportFile } from '../../wire/report.ts';
import type { FailedBefore } from './select-users.ts';

/** By place where the report is about the same input, else by id. Throws `UsageError` for what is no such report. */
export function readFailed(name: string, text: string): FailedBefore {
  const report = reportFile.safeParse(parse(name, text));
  if (!report.success) {
    throw new UsageError(`--only-failed ${name}: it is not a report of idport`, {
      hint: 'Give the .json file that --report wrote.',
    });
  }
  const { inputs, users } = report.data;
  const rejected = users.filter(({ outcome }) => outcome === 'rejected');
  const places = new Set(rejected.map(({ input, index }) => placeOf(input, index)));
  const ids = new Set(rejected.map(({ id }) => id));
  const known = new Set(inputs);
  return {
    has: (input, index, id) =>
      known.has(input) ? places.has(placeOf(input, index)) : id !== '' && ids.has(id),
  };
}

const placeOf = (input: string, index: number): string => `${index} ${input}`;

function parse(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`--only-failed ${name}: it is not JSON`, {
      hint: 'Give the .json file that --report wrote.',
    });
  }
}
