/** What was found in the source in; what the run will take, told before it begins, out. */
import type { Emit } from '../../events.ts';
import { formatCount, formatCounted, formatSeconds } from '../../lib/quantity.ts';
import type { ImportUsersRequest } from './import-users.ts';
import type { UsersSurvey } from './scan-users.ts';

type Quoted = Pick<ImportUsersRequest, 'perSecond' | 'org' | 'journal'>;

export function quote(survey: UsersSurvey, { perSecond, org, journal }: Quoted, emit: Emit): void {
  const { chosen, replaced, requests, rejected, plan } = survey;
  const mails = [...survey.mails.values()].reduce((sum, count) => sum + count, 0);
  const parts = [
    `${formatCounted(chosen, 'person', 'people')} of ${formatCount(plan.people)} to organization ${org}`,
    formatCounted(requests, 'request'),
    perSecond === undefined
      ? 'as fast as the service answers'
      : `about ${formatSeconds(Math.max(1, requests / perSecond))} at ${perSecond}/s`,
    formatCounted(mails, 'mail'),
  ];
  if (replaced > 0) parts.push(`${replaced} of them changed: deleted and brought over again, with a new id`);
  if (rejected > 0) parts.push(`${formatCounted(rejected, 'more is', 'more are')} left out before sending`);
  if (journal.resume) parts.push('all this less what the journal says is done');
  emit({ type: 'notice', level: 'info', code: 'import:quote', text: `${parts.join(', ')}.` });
}

/** Whether more mails would go out than may; says so. */
export function gateMails({ mails }: UsersSurvey, most: number, emit: Emit): boolean {
  const sum = [...mails.values()].reduce((sum, count) => sum + count, 0);
  if (sum <= most) return false;
  const text =
    `the import would send ${formatCounted(sum, 'mail')}, allowed are ${most}: nothing was sent. ` +
    'Raise --max-emails or give --allow-emails when the people know.';
  emit({ type: 'notice', level: 'warning', code: 'mails:over', text });
  return true;
}
