/** The library: the verbs of idport as functions. */
export { ExitCode, IdportError, InputError, InterruptedError, UsageError } from './errors.ts';
export type { IdportEvent } from './events.ts';
export type * from './library/options.ts';
export * from './library/verbs.ts';
export type { ComparedUsers, UndoneUsers } from './records/outcomes.ts';
export type { Tally } from './records/tally.ts';
export type { Paths } from './sources/entry.ts';
