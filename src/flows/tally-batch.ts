/** A finished batch in, the counts of the run raised by it. */
import { mailKinds } from '../records/mail.ts';
import { count, countRefusal, type Tally } from '../records/tally.ts';
import { passwordFamilies, type RecordDetail, unpackFacts } from './batch.ts';

/** Counts one record by its facts; `noted` also where the run itself has something to add. */
export function tallyFacts(tally: Tally, word: number, noted: boolean): void {
  const facts = unpackFacts(word);
  tally.read++;
  if (facts.outcome === 'rejected' || facts.outcome === 'skipped') {
    tally[facts.outcome]++;
    return;
  }
  if (noted || facts.noted) tally.withNotes++;
  else tally.written++;
  if (facts.inactive) tally.inactive++;
  if (facts.outcome === 'machine') {
    tally.machines++;
    return;
  }
  count(tally.passwords, passwordFamilies[facts.family] ?? 'none');
  const mail = mailKinds[facts.mail] ?? 'none';
  if (mail !== 'none') count(tally.mails, mail);
  if (facts.sms) tally.sms++;
  if (facts.otp) tally.otp++;
  if (facts.linked) tally.links++;
}

/** Counts what a record has to say. */
export function tallyDetail(tally: Tally, detail: RecordDetail): void {
  if (detail.rejected !== undefined) count(tally.reasons, detail.rejected.code);
  for (const { code } of detail.notes) count(tally.reasons, code);
  for (const refusal of detail.refusals ?? []) countRefusal(tally.refusals, refusal);
  tally.metadata += detail.metadataCount ?? 0;
}
