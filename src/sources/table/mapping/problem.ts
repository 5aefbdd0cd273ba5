/** What is wrong with a mapping, at which place of it. */

/** Becomes a `UsageError` with the name of the file; see `read.ts`. */
export class MappingProblem extends Error {
  override readonly name = 'MappingProblem';
  readonly hint: string | undefined;

  constructor(place: string, problem: string, hint?: string) {
    super(place === '' ? problem : `${place}: ${problem}`);
    this.hint = hint;
  }
}
