/** Writes docs/api-errors.md from the tables of error ids, rules and permissions. */
import { needs } from '../src/api/permissions.ts';
import {
  classifyFailure,
  classifyResponse,
  remedyFor,
  remedyOf,
  type Rule,
  rules,
  type Verdict,
} from '../src/api/refusals.ts';
import { explainErrorIds } from '../src/commands/explain.ts';
import { grpcToHttp } from '../src/wire/errors.ts';
import { type ServiceErrorKind, serviceErrors } from '../src/wire/service-errors.ts';

const sample = { method: 'POST', path: '/admin/v1/import', org: '4711' };

export function formatApiErrorsPage(): string {
  return [
    '# Errors of the service',
    '',
    'A failed call is reported in one line: method, address (without its query), status, the text of the service with its',
    'stable error id, and a hint. `idport explain <id>` prints what this page says of one error id.',
    '',
    '<!-- Written by `npm run docs` from src/wire/service-errors.ts, src/api/refusals.ts and src/api/permissions.ts. -->',
    '',
    'A 429 pauses all calls of the process for as long as `Retry-After` says; if that is over an hour, the call fails. During',
    'a ban (the hosted service bans an address for a minute) nothing is sent; afterwards the rate grows from half to full',
    'within a minute. Other waits double from half a second up to 30 seconds, half of each at random, and end after five',
    'minutes.',
    '',
    'A response without a known error id is recognized by its [status and text](#without-a-known-id). Role hints are those',
    'of `POST /admin/v1/import`; other calls name their own.',
    '',
    ...grouped(serviceErrors.values(), ({ title }) => title).flatMap(sectionOf),
    '## Without a known id',
    '',
    'The first row that fits counts.',
    '',
    '| Error | Status | Sent again | What helps |',
    '|---|---|---|---|',
    ...rules.map((rule) =>
      row(when(rule), rule.status?.join(', ') ?? '', sentAgain(rule), remedyOf(rule, sample) ?? ''),
    ),
    '',
    '## Permissions',
    '',
    '| Call | Permission | Roles that have it | Where to give the role |',
    '|---|---|---|---|',
    ...needs.map(({ call, permission, roles, where }) => row(call, permission, roles, where)),
    '',
  ].join('\n');
}

/** Returns the errors of one kind of call, grouped by their remedy. */
function sectionOf([title, kinds]: [string, ServiceErrorKind[]]): string[] {
  const explained = new Map(explainErrorIds().map((one) => [one.code, one]));
  const remedy = ({ id }: ServiceErrorKind): string =>
    remedyFor({ ...sample, id }) ?? explained.get(id)?.remedy ?? '';
  return [
    `## ${title}`,
    '',
    kinds[0]?.consequence ?? '',
    '',
    ...grouped(kinds, remedy).flatMap(([text, some]) => [`**${text}**`, '', ...some.map(line), '']),
  ];
}

function line(kind: ServiceErrorKind): string {
  const status = grpcToHttp[kind.code];
  const verdict = again[classifyResponse({ status, code: kind.code, id: kind.id })];
  return `- \`${kind.id}\` (${status}${verdict === 'no' ? '' : `; sent again ${verdict}`}): ${kind.meaning}`;
}

function grouped<T>(items: Iterable<T>, keyOf: (item: T) => string): [string, T[]][] {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return [...groups];
}

const again: Readonly<Record<Verdict, string>> = {
  refused: 'no',
  stop: 'no',
  'too-large': 'no',
  pause: 'after the pause',
  later: 'yes',
  renew: 'once, where a new token can be had',
  unsure: 'if that can do no harm; else looked up',
};

/** Says whether a call is sent again. For a network failure, that depends on when it occurred. */
function sentAgain({ network, verdict, status }: Rule): string {
  if (network?.source === '.') {
    return (['connect', 'response'] as const)
      .map((stage) => `${stages[stage]}: ${again[classifyFailure({ stage })]}`)
      .join('; ');
  }
  if (network !== undefined) return '';
  if (verdict === undefined && status === undefined) return 'by its status';
  return again[verdict ?? classifyResponse({ status: status?.[0] })];
}

const stages = { connect: 'before a connection', response: 'after it' };

function when({ code, text, network }: Rule): string {
  if (network !== undefined) return `network: ${words(network)}`;
  if (text !== undefined) return words(text);
  return code === undefined ? 'any other' : `gRPC code ${code}`;
}

/** Writes a pattern of the table in words: its alternatives, without the signs around them. */
function words(pattern: RegExp): string {
  if (pattern.source === '.') return 'any other';
  return pattern.source
    .replaceAll(/\(\?:grpc: \)\?|[\^$()\\]|\(\?:|\?:/g, '')
    .split('|')
    .join(' or ');
}

const row = (...cells: string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
