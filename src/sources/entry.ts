/** What the command line and the library need to know about a provider. It is plain data, because every start loads it. */
import type { NameFallback } from '../records/user.ts';
import type { Table } from '../lib/flag.ts';

/** Files or folders. `-` is standard input. */
export type Paths = string | readonly string[];

/** A flag that takes paths of exports. Its name is a single word. */
export interface PathFlag {
  readonly name: string;
  readonly description: string;
  /** Only set for companions. Any of these marks tells such an export from the users themselves. */
  readonly marks?: readonly Mark[];
}

/**
 * What only the exports of one provider have: keys that a user or the root must all have (`profile.login`, or titles of
 * a table), or a text.
 */
export type Mark = readonly string[] | RegExp;

/** Running system that can be read: `--database` or `--directory`. */
export type Live = 'database' | 'directory';

export interface ProviderEntry {
  /** Name as users write it, such as `Keycloak`. */
  readonly title: string;
  /** Text in the help of `idport migrate <name>`. */
  readonly description: string;
  /** Commands in that help. */
  readonly examples: readonly string[];
  /** Flag of the export itself. */
  readonly input: PathFlag;
  /** Flags of exports that only add to it. */
  readonly companions: readonly PathFlag[];
  /**
   * Set if a mapping joins further tables (`--table <name=path>`). These marks tell a file of such a table from the
   * users.
   */
  readonly tables?: Readonly<Record<string, readonly Mark[]>>;
  /** Running system that it may be read from without an export. */
  readonly live?: Live | undefined;
  /** Other flags, by their names in camel case. */
  readonly flags: Table;
  /** Any of these identifies an export. A file with the marks of another provider is refused. */
  readonly marks: readonly Mark[];
  /** Set if no password hash of its exports can move: the verifier of `idport jit` that can ask the provider. */
  readonly jit?: string | undefined;
  /** Set if users are in realms (`--org-by realm`). */
  readonly realms?: true;
  /** What replaces a missing name, unless `--name-fallback` says otherwise. */
  readonly nameFallback: NameFallback;
  /** Loads the `Provider`. */
  load(): Promise<unknown>;
}
