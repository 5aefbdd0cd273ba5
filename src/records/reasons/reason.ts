/** The meaning of a reason code, and constructors for its four kinds. */
export interface Reason {
  /**
   * `rejected` loses the record, `skipped` leaves it out because the run was asked to, `note` goes
   * with a written record.
   */
  readonly outcome: 'rejected' | 'skipped' | 'note';
  /** The export may be wrong as a whole: one warning a run, with the number of users. */
  readonly warns?: boolean;
  /** For `--deleted`, a user who was imported before counts as deleted in the source. */
  readonly meansDeleted?: boolean;
  readonly cause: string;
  readonly consequence: string;
  readonly remedy: string;
}

export const skipped = (cause: string, remedy: string): Reason => ({
  outcome: 'skipped',
  cause,
  consequence: 'The record is not written; it is counted, and named in the report.',
  remedy,
});

export const rejected = (cause: string, remedy: string): Reason => ({
  outcome: 'rejected',
  cause,
  consequence: 'The record is not written; it goes to the rejects file and the run ends with exit code 3.',
  remedy,
});

/** A record of an import body that the service would refuse. */
export const refused = (cause: string, consequence: string, remedy: string): Reason => ({
  outcome: 'rejected',
  cause,
  consequence,
  remedy,
});

export const note = (cause: string, consequence: string, remedy: string): Reason => ({
  outcome: 'note',
  cause,
  consequence,
  remedy,
});
