/** One change of the state, as a value that survives JSON: what a log on disk writes and reads back. */
export interface Change {
  readonly table: string;
  readonly id: string;
  /** The whole row as it is now; undefined when it is gone. */
  readonly row: object | undefined;
}
