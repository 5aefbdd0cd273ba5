/** The shape of an opened directory, so that sources need not know what reads it. */

export interface DirectoryEntry {
  readonly dn: string;
  /** A value each. */
  readonly attributes: readonly (readonly [name: string, value: Buffer])[];
}

export interface Directory {
  /** Host and port, for messages. */
  readonly place: string;
  /** The entries below the base, in pages, with these attributes. Throws `InputError`. */
  read(attributes: readonly string[]): AsyncIterable<readonly DirectoryEntry[]>;
}
