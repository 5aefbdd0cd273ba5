/** What the command line and the library need to know of a provider: plain data, because every start loads it. */
import type { Table } from '../lib/flag.ts';

/** Files or folders; `-` is standard input. */
export type Paths = string | readonly string[];

/** A flag that takes paths of exports; its name is one word. */
export interface PathFlag {
  readonly name: string;
  readonly description: string;
  /** Any of these tells such an export from the users themselves; only of companions. */
  readonly marks?: readonly Mark[];
}

/**
 * What only the exports of one provider have: keys that a user or the root has all of (`profile.login`; of a table
 * its titles), or a text.
 */
export type Mark = readonly string[] | RegExp;

/** `--database` or `--directory`. */
export type Live = 'database' | 'directory';

export interface ProviderEntry {
  /** As users write it: `Keycloak`. */
  readonly title: string;
  /** The help of `idport migrate <name>`. */
  readonly description: string;
  /** Commands for that help. */
  readonly examples: readonly string[];
  /** The export itself. */
  readonly input: PathFlag;
  /** Exports that only add to it. */
  readonly companions: readonly PathFlag[];
  /**
   * Present where a mapping joins further tables: `--table <name=path>`. By these marks a file of such a table is told
   * from the users.
   */
  readonly tables?: Readonly<Record<string, readonly Mark[]>>;
  /** What it may be read from without an export. */
  readonly live?: Live | undefined;
  /** Its other flags, by their names in camel case. */
  readonly flags: Table;
  /** By any of these its exports are recognised; a file with the marks of another provider is refused. */
  readonly marks: readonly Mark[];
  /** In a folder its exports are recognised by the name of a file. */
  readonly fileNames?: RegExp;
  /** Where no password hash of its exports can move: the verifier of `idport jit` that can ask it. */
  readonly jit?: string | undefined;
  /** Its users are in realms: `--org-by realm`. */
  readonly realms?: true;
  /** What a missing name becomes unless `--name-fallback` says otherwise. */
  readonly nameFallback: 'username' | 'email-local' | 'dash' | 'full-name' | 'skip';
  /** Its `Provider`. */
  load(): Promise<unknown>;
}
