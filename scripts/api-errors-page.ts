/** Writes docs/api-errors.md from the tables of remedies, permissions and error ids. */
import { needs } from '../src/api/permissions.ts';
import { explainErrorIds } from '../src/commands/explained.ts';
import { remedies, type RemedyRow } from '../src/api/remedies.ts';

const sample = { method: 'POST', path: '/admin/v1/import', message: '', org: '4711' };

export function formatApiErrorsPage(): string {
  return [
    '# Errors of the service',
    '',
    'A call that does not succeed is reported in one line: method, address (without its query), status, the text of the',
    'service with its stable error id, and a hint. This page lists the hints.',
    '',
    '`idport explain <id>` prints what this page says of an error id.',
    '',
    'This page is written by `npm run docs` from `src/api/remedies.ts`, `src/api/permissions.ts` and',
    '`src/commands/explained.ts`.',
    '',
    '## What to do',
    '',
    'The first row that fits counts. Role hints are those of `POST /admin/v1/import`; other calls name their own.',
    '',
    '| When | Hint |',
    '|---|---|',
    ...remedies.map((row) => `| ${cell(when(row))} | ${cell(row.remedy(sample))} |`),
    '',
    '## Permissions',
    '',
    '| Call | Permission | Roles that have it | Where to give the role |',
    '|---|---|---|---|',
    ...needs.map(({ call, permission, roles, where }) => `| ${call} | ${permission} | ${roles} | ${where} |`),
    '',
    '## Retries',
    '',
    '| What happened | A call that is safe to repeat | A call that could create something twice |',
    '|---|---|---|',
    ...repeats.map((row) => `| ${row.map(cell).join(' | ')} |`),
    '',
    'A 429 pauses all calls of the process, not only the one that got it, for as long as `Retry-After` says. Where the',
    'service bans an address (the hosted one does, for a minute), nothing is sent until the ban must be over; then the',
    'rate grows from half to full within a minute. Other waits double from half a second up to 30 seconds, half of each',
    'at random, and end after five minutes.',
    '',
    '## Error ids',
    '',
    '| Id | Cause | Consequence | Remedy |',
    '|---|---|---|---|',
    ...explainErrorIds().map(
      ({ code, cause, consequence, remedy }) =>
        `| \`${code}\` | ${[cause, consequence, remedy].map(cell).join(' | ')} |`,
    ),
    '',
  ].join('\n');
}

/** test/api/retry.test.ts proves each row. */
const repeats: readonly (readonly [string, string, string])[] = [
  ['no connection was made', 'sent again', 'sent again'],
  ['429 for the rate', 'sent again after the pause', 'sent again after the pause'],
  ['429 for the size, for a used-up quota, for a blocked instance', 'never', 'never'],
  ['the connection broke, or no response in time', 'sent again', 'never: unknown, looked up instead'],
  ['503 of a gateway that cannot connect to its service yet', 'sent again', 'sent again'],
  ['500, 502, other 503, 504', 'sent again', 'never: unknown, looked up instead'],
  ['500 with the id RECOVER', 'never', 'never'],
  ['409 with gRPC code 10 (rolled back)', 'sent again', 'sent again'],
  ['401', 'once, where a new token can be had', 'once, where a new token can be had'],
  ['any other refusal', 'never', 'never'],
];

function when({ status, id, text, network }: RemedyRow): string {
  const parts = [
    ...(network === undefined ? [] : [`failure of the network: ${words(network)}`]),
    ...(status === undefined ? [] : [`status ${status.join(', ')}`]),
    ...(id === undefined ? [] : [`id ${id.join(', ')}`]),
    ...(text === undefined ? [] : [`text with ${words(text)}`]),
  ];
  return parts.join('; ');
}

/** A pattern of the table in words: its alternatives without the signs around them. */
function words(pattern: RegExp): string {
  if (pattern.source === '.') return 'any other';
  return pattern.source
    .replaceAll(/[\^$()\\]|\(\?:|\?:/g, '')
    .split('|')
    .join(' or ');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
