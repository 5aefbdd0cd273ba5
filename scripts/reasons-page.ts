/** Writes docs/reasons.md from the table of reason codes. */
import { type Reason, reasons } from '../src/records/reasons.ts';

const chapters: readonly { outcome: Reason['outcome']; title: string; intro: string }[] = [
  {
    outcome: 'rejected',
    title: 'Rejected',
    intro: 'The record is not written. `--rejects <file>` gets it, and the run ends with exit code 3.',
  },
  {
    outcome: 'skipped',
    title: 'Skipped',
    intro: 'The record is left out because the run was asked to. The exit code stays 0.',
  },
  {
    outcome: 'note',
    title: 'Notes',
    intro: 'The record is written; something about it is worth knowing.',
  },
];

export function formatReasonsPage(): string {
  const lines = [
    '# Reason codes',
    '',
    'Every record that needs attention carries at least one of these codes: in the summary, in the events of',
    '`--json`, in the report, in the rejects file. They are stable: scripts may rely on them.',
    '',
    '`idport explain <code>` prints what this page says of a code.',
    '',
    'This page is written by `npm run docs` from `src/records/reasons.ts`.',
    '',
  ];
  for (const { outcome, title, intro } of chapters) {
    lines.push(`## ${title}`, '', intro, '');
    for (const [code, reason] of Object.entries<Reason>(reasons)) {
      if (reason.outcome !== outcome) continue;
      lines.push(`### ${code}`, '');
      lines.push(`- Cause: ${reason.cause}`);
      lines.push(`- Consequence: ${reason.consequence}`);
      lines.push(`- Remedy: ${reason.remedy}`, '');
    }
  }
  return lines.join('\n');
}
