/** Counts the messages that a bulk import sends, before its first request. */
import { countMessages, type MessageCounts } from '../../records/messages.ts';
import type { Entry } from '../../targets/bulk/entry.ts';
import { createMailList, type MailList } from '../messages/mail-list.ts';
import { isEntry, planEntries, type ImportSource } from './entries.ts';

export interface CountOptions {
  readonly mailList?: MailList | undefined;
  readonly signal: AbortSignal;
  /** Users for whom this is true are not sent. */
  readonly isUnchanged?: (entry: Entry) => boolean;
}

/** Of the whole body: what an earlier part of the run has sent counts as well. Writes the mail list, uncommitted. */
export async function countBodyMessages(
  source: ImportSource,
  { mailList = createMailList(undefined), signal, isUnchanged = () => false }: CountOptions,
): Promise<MessageCounts> {
  const counts: MessageCounts = { emails: new Map(), sms: 0 };
  for await (const planned of planEntries(source, ['humanUsers'])) {
    signal.throwIfAborted();
    const entry = planned.read();
    if (!isEntry(entry) || entry.user === undefined || isUnchanged(entry)) continue;
    const { user, oldId } = entry;
    countMessages(counts, user.messages);
    await mailList.add({ ...user, id: oldId ?? user.id }, user.messages);
  }
  return counts;
}
