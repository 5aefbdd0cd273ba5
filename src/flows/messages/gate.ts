/**
 * Reports before an import how many messages the service will send, lists who gets them, and stops if there are more than
 * allowed.
 */
import type { NoticeCode } from '../../records/notices.ts';
import { ExitCode, IdportError } from '../../errors.ts';
import { type Emit, note, warning, commit } from '../../events.ts';
import { formatCount, formatCounted } from '../../lib/format.ts';
import { countSignIn, emailsAtFirstLogin, signInLines } from '../../records/sign-in.ts';
import { type MessageCounts, emailCauses, smsCause, type Messages } from '../../records/messages.ts';
import { sumOf } from '../../records/tally.ts';
import { encodeRow } from '../../lib/csv.ts';
import type { Sink } from '../../lib/sink.ts';
import type { UserRecord } from '../../records/user.ts';

/** Maximum number of messages. Infinity allows any number. */
export interface MessageLimits {
  readonly emails: number;
  readonly sms: number;
}

export interface GateRequest {
  readonly limits: MessageLimits;
  /** List of users who get a message. Absent if not requested. */
  readonly mailList?: MailList | undefined;
}

class OverLimitError extends IdportError {
  override readonly exitCode = ExitCode.differs;
}

/**
 * To be called before the first request. Reports what the service will send. Throws if that is more than allowed. `mute` may
 * reduce the emails.
 */
export async function passGate(
  counts: MessageCounts,
  { limits, mailList }: GateRequest,
  emit: Emit,
  mute: () => Promise<void> = async () => {},
) {
  reportMessages(counts, limits, emit);
  await mailList?.commit(emit);
  await mute();
  const over = findOverLimit(counts, limits);
  const [first] = over;
  if (first === undefined) return;
  const message = `nothing was sent: ${over.map(({ what }) => what).join('; ')}`;
  throw new OverLimitError(first.code, message, over.map(({ advice }) => advice).join(' '));
}

function reportMessages(counts: MessageCounts, limits: MessageLimits, emit: Emit) {
  const signIn = countSignIn(counts.signIn);
  const who = signInLines(signIn);
  if (who.length > 0) emit(note('sign-in:forecast', `${who.join('; ')}.`));
  const emails = sumOf(counts.emails);
  const text =
    emails + counts.sms === 0
      ? 'The service will send no email and no SMS.'
      : `The service will send at most ${formatCounted(emails, 'email')} (${formatLimit(limits.emails)}) and ${formatCount(counts.sms)} SMS (${formatLimit(limits.sms)}).`;
  emit(note('messages:forecast', [text, ...emailsAtFirstLogin(signIn)].join(' ')));
}

interface OverLimit {
  readonly code: NoticeCode;
  readonly what: string;
  readonly advice: string;
}

function findOverLimit(counts: MessageCounts, limits: MessageLimits) {
  const emails = sumOf(counts.emails);
  const over: OverLimit[] = [];
  if (emails > limits.emails) {
    over.push({
      code: 'emails:over',
      what: `the import would send ${formatCounted(emails, 'email')}; the limit is ${formatCount(limits.emails)}`,
      advice:
        '--mail-list=<file> writes who would get one. Tell these users, then raise --max-emails: unlimited allows any number.' +
        (counts.emails.has('password-changed')
          ? ' --mute-password-emails switches those about changed passwords off until the end of the run.'
          : ''),
    });
  }
  if (counts.sms > limits.sms) {
    over.push({
      code: 'sms:over',
      what: `the import would send ${formatCount(counts.sms)} SMS; the limit is ${formatCount(limits.sms)}`,
      advice:
        'Raise --max-sms; or leave unverified phone numbers out with --phone=drop, or treat them as verified with --phone=assume-verified.',
    });
  }
  return over;
}

/** Reports whether more would be sent than allowed, and warns if so. */
export function isOverLimit(counts: MessageCounts, limits: MessageLimits, emit: Emit) {
  const over = findOverLimit(counts, limits);
  for (const { code, what, advice } of over) emit(warning(code, `${what}. ${advice}`));
  return over.length > 0;
}

const formatLimit = (limit: number) =>
  limit === Infinity ? 'no limit' : `the limit is ${formatCount(limit)}`;

export type MailList = ReturnType<typeof createMailList>;

const mailListHeader = 'id,user_name,email_or_phone,reason';

export function createMailList(sink: Sink) {
  let head = `${mailListHeader}\n`;
  const write = async (row: string) => {
    const text = `${head}${row}`;
    head = '';
    await sink.write(text);
  };
  return {
    async add(
      { id, userName, email, phone }: Pick<UserRecord, 'id' | 'userName' | 'email' | 'phone'>,
      messages: Messages,
    ) {
      const row = (to: string, reason: string) => encodeRow([id, userName, to, reason]);
      if (messages.email !== 'none') await write(row(email, emailCauses[messages.email]));
      if (messages.sms) await write(row(phone, smsCause));
    },
    async commit(emit: Emit) {
      if (head !== '') await write('');
      await commit(sink, 'mail list', emit);
    },
  };
}
