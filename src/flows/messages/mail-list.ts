/** The mail list: a CSV (RFC 4180) with a row for each email and each SMS that an import sends. */
import type { Emit } from '../../events.ts';
import { quoteField } from '../../lib/csv.ts';
import type { Sink } from '../../lib/sink.ts';
import { emailCauses, smsCause, type Messages } from '../../records/messages.ts';

export interface Recipient {
  /** In the source; empty where it has none. */
  readonly id: string;
  readonly userName: string;
  readonly email: string;
  readonly phone: string;
}

export type MailList = ReturnType<typeof createMailList>;

export const mailListHeader = 'id,user_name,email_or_phone,reason';

/** Without a sink nothing is written. */
export function createMailList(sink: Sink | undefined) {
  let begun = false;
  const write = async (fields: string): Promise<void> => {
    const head = begun ? '' : `${mailListHeader}\n`;
    begun = true;
    await sink?.write(`${head}${fields}`);
  };
  return {
    async add({ id, userName, email, phone }: Recipient, messages: Messages): Promise<void> {
      if (sink === undefined) return;
      const row = (to: string, reason: string): string =>
        `${[id, userName, to, reason].map(quoteField).join(',')}\n`;
      if (messages.email !== 'none') await write(row(email, emailCauses[messages.email]));
      if (messages.sms) await write(row(phone, smsCause));
    },
    async commit(emit: Emit): Promise<void> {
      if (sink === undefined) return;
      if (!begun) await write('');
      await sink.commit();
      emit({ type: 'file:written', path: sink.name, what: 'mail list', bytes: sink.bytes });
    },
  };
}
