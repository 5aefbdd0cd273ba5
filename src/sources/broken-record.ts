/** Takes the place of a record that could not be read. */
import { type Origin, reject, type Rejected } from '../records/user.ts';

export interface Broken {
  /** Where the record is, and why it could not be read. */
  readonly problem: string;
  /** The record as written in the file, for the rejects file. */
  readonly text?: string | undefined;
  /** User name or id, if known. */
  readonly id?: string | undefined;
  readonly isTooLarge?: boolean | undefined;
}

export class BrokenRecord {
  readonly broken: Broken;

  constructor(broken: Broken) {
    this.broken = broken;
  }

  reject(origin: Origin): Rejected {
    const { problem, id = origin.id, isTooLarge = false } = this.broken;
    return reject(
      { origin: { ...origin, id } },
      isTooLarge ? 'record:too-large' : 'record:not-json',
      problem,
    );
  }
}
