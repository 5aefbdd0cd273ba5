/** An error in a mapping, with the place of the error. */
import { UsageError } from '../../../errors.ts';

/** Becomes a `UsageError` with the name of the file. */
export class MappingProblem extends Error {
  override readonly name = 'MappingProblem';
  readonly hint: string | undefined;

  constructor(place: string, problem: string, hint?: string) {
    super(place === '' ? problem : `${place}: ${problem}`);
    this.hint = hint;
  }
}

/** Runs a compilation. A `MappingProblem` becomes a `UsageError` with the name of the file. */
export function withMappingName<Result>(file: string, compile: () => Result) {
  try {
    return compile();
  } catch (error) {
    if (!(error instanceof MappingProblem)) throw error;
    throw new UsageError(`${file}: ${error.message}`, error.hint);
  }
}
