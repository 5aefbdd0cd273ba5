/**
 * A verb in, how it speaks of the records that it took out: `check` writes nothing, `import-users` has sent its mails.
 */
export interface VerbWords {
  /** What became of a record without trouble. */
  readonly taken: string;
  readonly mails: string;
}

const byVerb: ReadonlyMap<string, VerbWords> = new Map([
  ['check', { taken: 'pass', mails: 'Mails that the import would send' }],
  ['import-users', { taken: 'imported', mails: 'Mails that go out for it' }],
]);

export function wordsOf(verb: string): VerbWords {
  return byVerb.get(verb) ?? { taken: 'written', mails: 'Mails that the import would send' };
}
