import { expect, it } from 'vitest';
import type { IdportEvent } from '../../src/events.ts';
import { defuse, toMarkdown, workflowCommand } from '../../src/terminal/plain.ts';
import { exampleRun } from '../support/events.ts';
import { githubOf } from '../support/page.ts';

const hostile = [
  'mia\n::error::gone',
  'mia\r\n::stop-commands::x',
  '::add-mask::mia',
  '##[error]mia',
  'mia ##[add-path]/tmp',
  'a%0A::error::b',
  'a,title=b::c',
  '```\n# mia',
  ' ::set-output name=a::b',
];

const rejected = (userName: string): IdportEvent => ({
  type: 'record:rejected',
  place: { input: userName, index: 1, id: `${userName} x`, userName },
  code: 'record:malformed',
  detail: userName,
});
const start = { type: 'run:start', verb: 'import-users', inputs: ['b.json'], bytes: undefined } as const;

it('createGithub groups the run, annotates rejected users and writes a summary', () => {
  const { printed, summary } = githubOf(exampleRun.map(([, event]) => event));
  expect(printed[0]).toBe('::group::idport migrate keycloak: realm.json (1 MB)');
  expect(printed[1]).toBe(
    '::error title=User not written::rejected: realm.json #252 (mia): user-skipped:no-email',
  );
  const end = printed.indexOf('::endgroup::');
  expect(printed.slice(end + 1).join('\n')).toContain('1,000 users read');
  expect(printed.slice(0, end).join('\n')).not.toContain('1,000 users read');
  expect(summary).toMatch(/^### idport migrate keycloak\n\n```text\nrejected: realm\.json #252 \(mia\)/);
  expect(summary).toContain('990  written (140 with notes)');
});

it('createGithub closes the group before an error annotation', () => {
  const problem: IdportEvent = { type: 'problem', code: 'x', message: 'no: 5 %', hint: 'try', exitCode: 2 };
  const { printed, summary } = githubOf([start, problem]);
  expect(printed.slice(1)).toEqual(['::endgroup::', '::error title=idport::no: 5 %25%0A  hint: try']);
  expect(summary).toContain('error: no: 5 %');
});

it('createGithub prints an interruption without an error', () => {
  const { printed } = githubOf([start, { type: 'problem', code: 'i', message: 'stopped', exitCode: 130 }]);
  expect(printed.at(-1)).toBe('stopped');
});

it.each(hostile)('createGithub escapes names that could form a command: %j', (name) => {
  const { printed, summary } = githubOf([
    { ...start, inputs: [name] },
    rejected(name),
    {
      type: 'notice',
      level: 'warning',
      code: 'input:no-users',
      text: `a ${name} ${'word '.repeat(20)}${name}`,
    },
    { type: 'problem', code: 'x', message: name, hint: name, exitCode: 2 },
  ]);
  const commands = printed.filter((line) => line.trimStart().startsWith('::'));
  expect(commands.map((line) => line.split('::')[1])).toEqual([
    'group',
    'error title=User not written',
    'endgroup',
    'error title=idport',
  ]);
  expect(printed.some((line) => /[\r\n]/.test(line))).toBe(false);
  const others = printed.filter((line) => !commands.includes(line));
  expect(others.filter((line) => line.includes('##['))).toEqual([]);
  const fence = /^(`{3,})text$/m.exec(summary)?.[1] ?? '';
  const inside = summary.slice(summary.indexOf('text\n') + 5, summary.lastIndexOf(fence));
  expect(inside).not.toContain(fence);
});

it('createGithub escapes values of workflow commands', () => {
  expect(workflowCommand('error', 'a%b\r\nc:d,e', 'x:y,%z')).toBe(
    '::error title=x%3Ay%2C%25z::a%25b%0D%0Ac:d,e',
  );
  expect(defuse('  ::error::x ##[debug]')).toBe('  : :error::x ## [debug]');
  expect(toMarkdown('', ['````'])).toBe('### idport\n\n`````text\n````\n`````\n\n');
});
