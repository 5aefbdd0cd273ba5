/** `idport check`: checks an import body, or an export that it converts on the fly, before the import. */
import { ExitCode, UsageError } from '../errors.ts';
import { createCheckOutput } from '../flows/convert/output.ts';
import { formatCount, formatCounted } from '../lib/quantity.ts';
import type { Tally } from '../records/tally.ts';
import { print } from '../storage/stream-sink.ts';
import type { ConnectionFlags } from './connect.ts';
import type { Action, CommandContext } from './context.ts';
import type { ConversionFlags, ReportFlags } from './conversion-flags.ts';
import { checkPolicy } from './convert-request.ts';
import { runConversion } from './run-conversion.ts';
import { openSource, type SourceFlags } from './source.ts';

export interface CheckFlags extends SourceFlags, ConversionFlags, ReportFlags, ConnectionFlags {
  readonly org?: string;
  readonly maxEmails: string;
  readonly allowEmails?: boolean;
  readonly pricePerRequest?: string;
  readonly sample?: string;
}

export const check: Action<CheckFlags> = async (flags, context) => {
  const maxEmails =
    flags.allowEmails === true ? Number.POSITIVE_INFINITY : checkCount('--max-emails', flags.maxEmails);
  const samples = flags.sample === undefined ? 0 : checkCount('--sample', flags.sample);
  const price = flags.pricePerRequest === undefined ? {} : { price: checkPrice(flags.pricePerRequest) };
  const policy = await checkPolicy(flags, context.cwd);
  const source = await openSource(flags, context);
  // The HTTP client takes longer to load than a small body takes to check.
  const asked =
    flags.url === undefined
      ? undefined
      : await (await import('./ask-target.ts')).askTarget(flags, source, context);
  const judging = { ...policy, ...(asked === undefined ? {} : { foreignDomains: asked.foreignDomains }) };
  try {
    const tally = await runConversion(
      {
        verb: 'check',
        source,
        // The service refuses a user of a body together with the hash.
        policy: source.provider === 'body' ? { ...judging, onRefusedHash: 'refuse' } : judging,
        hashPlain: false,
        output: () =>
          createCheckOutput(samples, (user) => print(context.stdout, `${JSON.stringify(user)}\n`)),
        ...(asked === undefined ? {} : { atTarget: asked.users }),
        ...price,
      },
      flags,
      context,
    );
    const tooMany = gateEmails(tally, maxEmails, context);
    const refused = tally.rejected > 0 || tally.read === 0 || (asked?.problems ?? 0) > 0;
    return tooMany || refused ? ExitCode.differs : ExitCode.done;
  } finally {
    await asked?.close();
  }
};

function gateEmails(tally: Tally, most: number, { emit }: CommandContext): boolean {
  const emails = [...tally.mails.values()].reduce((sum, count) => sum + count, 0);
  if (emails <= most) return false;
  emit({
    type: 'notice',
    level: 'warning',
    code: 'emails:over',
    text:
      `the import would send ${formatCounted(emails, 'email')}; the limit is ${formatCount(most)}. ` +
      'Tell these users, then raise --max-emails or use --allow-emails.',
  });
  return true;
}

function checkCount(flag: string, text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(number)) return number;
  throw new UsageError(`${flag} ${text} is not a number`);
}

function checkPrice(text: string): number {
  const price = Number(text);
  if (/^\d*\.?\d+$/.test(text) && Number.isFinite(price)) return price;
  throw new UsageError(`--price-per-request ${text} is not an amount`, { hint: 'For example 0.0004.' });
}
