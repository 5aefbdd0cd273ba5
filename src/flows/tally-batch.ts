/** A finished batch in, the counts of the run raised by it. */
import { mailKinds } from '../records/mail.ts';
import { count, countRefusal, type Tally } from '../records/tally.ts';
import { factsEnd, passwordFamilies, type RecordDetail, unpackFacts } from './batch.ts';

/** Counts records by the facts that they share; `noted` also where the run itself has something to add. */
export function tallyFacts(tally: Tally, word: number, noted: boolean, records = 1): void {
  const facts = unpackFacts(word);
  tally.read += records;
  if (facts.outcome === 'rejected' || facts.outcome === 'skipped') {
    tally[facts.outcome] += records;
    return;
  }
  if (noted || facts.noted) tally.withNotes += records;
  else tally.written += records;
  if (facts.inactive) tally.inactive += records;
  if (facts.outcome === 'machine') {
    tally.machines += records;
    return;
  }
  count(tally.passwords, passwordFamilies[facts.family] ?? 'none', records);
  const mail = mailKinds[facts.mail] ?? 'none';
  if (mail !== 'none') count(tally.mails, mail, records);
  if (facts.sms) tally.sms += records;
  if (facts.otp) tally.otp += records;
  if (facts.linked) tally.links += records;
}

/** Facts are few and come back: they are looked into once for all records of a batch that share them. */
export class SharedFacts {
  readonly #records = new Uint32Array(factsEnd);
  #words: number[] = [];

  add(word: number): void {
    if (this.#records[word]!++ === 0) this.#words.push(word);
  }

  /** Counts them all, and begins anew. */
  tally(tally: Tally): void {
    for (const word of this.#words) {
      tallyFacts(tally, word, false, this.#records[word]);
      this.#records[word] = 0;
    }
    this.#words = [];
  }
}

/** Counts what a record has to say. */
export function tallyDetail(tally: Tally, detail: RecordDetail): void {
  if (detail.rejected !== undefined) count(tally.reasons, detail.rejected.code);
  for (const { code } of detail.notes) count(tally.reasons, code);
  for (const refusal of detail.refusals ?? []) countRefusal(tally.refusals, refusal);
  tally.metadata += detail.metadataCount ?? 0;
}
