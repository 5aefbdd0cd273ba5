/** Adds a converted batch to the counts of a run. */
import { count, countNotes, countRefusal, type Tally } from '../../records/tally.ts';
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
import type { Ways } from './ways.ts';

/** Many records of a batch have the same facts and remarks, so these are evaluated once for all of them. */
export class BatchTally {
  readonly #facts = new Uint32Array(factsEnd);
  #words: number[] = [];
  #remarks: number[] = [];

  /** Counts a record that is written. */
  addWritten({ rows }: ConvertedBatch, place: number): void {
    const at = place * row.words;
    const word = rows[at + row.facts]!;
    if (this.#facts[word]!++ === 0) this.#words.push(word);
    const remarks = rows[at + row.remarks]!;
    if (remarks !== 0) this.#remarks[remarks] = (this.#remarks[remarks] ?? 0) + 1;
  }

  /** Adds the counts of the batch to the tally and resets them. */
  finish(tally: Tally, ways: Ways, { remarks }: ConvertedBatch): void {
    for (const word of this.#words) {
      tallyFacts(tally, word, this.#facts[word]!);
      ways.add(unpackFacts(word), this.#facts[word]!);
      this.#facts[word] = 0;
    }
    this.#words = [];
    this.#remarks.forEach((records, number) => {
      const remark = remarks[number - 1]!;
      countNotes(tally, remark, records);
      if (remark.refusal === undefined) return;
      const { kept, ...refusal } = remark.refusal;
      countRefusal(tally.refusals, refusal, records);
      if (kept !== true) count(tally.dropped, refusal.algorithm, records);
    });
    this.#remarks = [];
  }
}

/** Counts a record that is not written. */
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
  if (facts.plain) tally.plain += records;
  if (facts.otp) tally.otp += records;
  if (facts.linked) tally.links += records;
}
