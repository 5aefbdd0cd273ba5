/** Writes docs/reasons.md from the table of reason codes. */
import { type Reason, reasons } from '../src/records/reasons.ts';

const chapters: readonly { outcome: Reason['outcome']; title: string; intro: string }[] = [
  {
    outcome: 'rejected',
    title: 'Rejected',
    intro:
      'Unless a code says otherwise, the record is not written, `--rejects <file>` gets it, and the run ends with exit code 3.',
  },
  {
    outcome: 'skipped',
    title: 'Skipped',
    intro:
      'The record is left out because the run was asked to. It is counted and named in the report; the exit code stays 0.',
  },
  {
    outcome: 'note',
    title: 'Notes',
    intro: 'The record is written; something about it is worth knowing.',
  },
];

/** Sentences that are left out, because the intro of the chapter says them. */
const usual = new Set([
  'The record is not written; it goes to the rejects file and the run ends with exit code 3.',
  'The record is not written; it is counted, and named in the report.',
  'Nothing to do.',
]);

export function formatReasonsPage(): string {
  const lines = [
    '# Reason codes',
    '',
    'Every record that needs attention has at least one of these codes: in the summary, in the events of `--json`, in the',
    'report, in the rejects file. They are stable: scripts may rely on them. `idport explain <code>` prints one of them.',
    '',
    '<!-- Written by `npm run docs` from src/records/reasons.ts. -->',
    '',
  ];
  for (const { outcome, title, intro } of chapters) {
    lines.push(`## ${title}`, '', intro, '');
    for (const [code, reason] of Object.entries<Reason>(reasons)) {
      if (reason.outcome !== outcome) continue;
      const { cause, consequence, remedy } = reason;
      lines.push(`### ${code}`, '', cause, ...[consequence, remedy].filter((text) => !usual.has(text)), '');
    }
  }
  return lines.join('\n');
}
