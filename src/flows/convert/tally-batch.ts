/** Raises the counts of a run by a converted batch. */
import { emailKinds } from '../../records/email-forecast.ts';
import { count, countRefusal, type Tally } from '../../records/tally.ts';
import {
  type ConvertedBatch,
  factsEnd,
  passwordAlgorithms,
  type RecordDetail,
  rejectedFacts,
  row,
  skippedFacts,
  unpackFacts,
} from './batch.ts';

/** Facts and remarks come back: they are looked into once for all records of a batch that share them. */
export class BatchTally {
  readonly #facts = new Uint32Array(factsEnd);
  #words: number[] = [];
  #remarks: number[] = [];

  /** A record that is written. `added`: what the run has noted of it besides. */
  addWritten({ rows }: ConvertedBatch, place: number): void {
    const at = place * row.words;
    const word = rows[at + row.facts]!;
    if (this.#facts[word]!++ === 0) this.#words.push(word);
    const remarks = rows[at + row.remarks]!;
    if (remarks !== 0) this.#remarks[remarks] = (this.#remarks[remarks] ?? 0) + 1;
  }

  /** Counts them all, and begins anew. */
  finish(tally: Tally, { remarks }: ConvertedBatch): void {
    for (const word of this.#words) {
      tallyFacts(tally, word, this.#facts[word]!);
      this.#facts[word] = 0;
    }
    this.#words = [];
    this.#remarks.forEach((records, number) => {
      const { codes, refusal } = remarks[number - 1]!;
      for (const code of codes) count(tally.reasons, code, records);
      if (refusal !== undefined) countRefusal(tally.refusals, refusal, records);
    });
    this.#remarks = [];
  }
}

/** A record that is not written. */
export function tallyRejected(tally: Tally, skipped: boolean, { rejected, refusal }: RecordDetail): void {
  tallyFacts(tally, skipped ? skippedFacts : rejectedFacts, 1);
  if (rejected !== undefined) count(tally.reasons, rejected.code);
  if (refusal !== undefined) countRefusal(tally.refusals, refusal);
}

export function tallyFacts(tally: Tally, word: number, records: number): void {
  const facts = unpackFacts(word);
  tally.read += records;
  if (facts.outcome === 'rejected' || facts.outcome === 'skipped') {
    tally[facts.outcome] += records;
    return;
  }
  if (facts.noted) tally.withNotes += records;
  else tally.written += records;
  if (facts.inactive) tally.inactive += records;
  if (facts.outcome === 'machine') {
    tally.machines += records;
    return;
  }
  count(tally.passwords, passwordAlgorithms[facts.algorithm] ?? 'none', records);
  const mail = emailKinds[facts.mail] ?? 'none';
  if (mail !== 'none') count(tally.mails, mail, records);
  if (facts.sms) tally.sms += records;
  if (facts.otp) tally.otp += records;
  if (facts.linked) tally.links += records;
}
