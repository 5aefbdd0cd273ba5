/** The types of a benchmark: a name, and rows that it measures one after the other. */
export interface Row {
  /** What is done, for example `keycloak 1,000,000 users (1.07 GB)`; rows of one task stand together. */
  readonly task: string;
  /** Who does it: `idport`, or the name of a stand-in. */
  readonly who: string;
  readonly seconds: number;
  /** Processor time of all threads. */
  readonly cpuSeconds?: number | undefined;
  readonly peakBytes?: number | undefined;
  /** For example `283,000 users/s`. */
  readonly rate?: string;
  /** Seconds of each stand-in divided by the seconds of this row: above 1 this row is faster. */
  readonly faster?: readonly { readonly than: string; readonly times: number }[];
  /** What a reader has to know to read the row right. */
  readonly remark?: string;
}

export interface BenchOptions {
  /** Sizes to run with; each benchmark has its own where none are given. */
  readonly sizes: readonly number[];
  /** Populations to run with; all where none are given. */
  readonly populations: readonly string[];
  readonly runs: number;
  /** How long a run at a rate takes, in seconds; each benchmark has its own where none is given. */
  readonly seconds: number | undefined;
  /** Reports progress. */
  readonly say: (text: string) => void;
}

export interface Bench {
  readonly name: string;
  readonly about: string;
  rows(options: BenchOptions): AsyncIterable<Row>;
}
