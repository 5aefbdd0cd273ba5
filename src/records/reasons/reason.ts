/** The meaning of a reason code, and constructors for its four kinds. */
export interface Reason {
  /** `rejected` loses the record. `skipped` leaves it out as the run was asked to. `note` concerns a written record. */
  readonly outcome: 'rejected' | 'skipped' | 'note';
  /** Set if the export may be wrong as a whole. A run then warns once, with the number of users. */
  readonly warns?: boolean;
  /** Set if `--deleted` treats a user who was imported before as deleted in the source. */
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

/** Returns the reason of a record in an import body that the service would refuse. */
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
