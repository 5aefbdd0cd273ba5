/** What the client makes of refusals as the real service words them; held against its recorded calls. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readProblem } from '../../src/api/problem.ts';
import { classifyResponse, remedyFor, type Verdict } from '../../src/api/refusals.ts';
import { refusal, toResponse } from '../support/script.ts';

interface Recorded {
  readonly call: string;
  readonly status: number;
  readonly code: number;
  /** Empty where the response has none. */
  readonly id: string;
  readonly text: string;
  readonly verdict: Verdict;
  readonly remedy: RegExp;
}

type Row = [
  call: string,
  status: number,
  code: number,
  id: string,
  text: string,
  verdict: Verdict,
  remedy?: RegExp,
];

const rows: Row[] = [
  ['GET /auth/v1/users/me', 401, 16, '', 'auth header missing', 'renew', /--token-file/],
  ['GET /auth/v1/users/me', 401, 16, 'AUTH-7fs1e', 'Errors.Token.Invalid', 'renew', /expired.*scope/],
  ['GET /auth/v1/users/me', 401, 16, 'AUTH-toLo1', 'invalid auth header', 'renew', /not of a form/],
  ['POST /admin/v1/import', 403, 7, 'AUTH-5mWD2', 'No matching permissions found', 'refused', /IAM_OWNER/],
  [
    'POST /admin/v1/import',
    404,
    5,
    'AUTHZ-cdgFk',
    'membership not found',
    'refused',
    /no role at the instance/,
  ],
  [
    'GET /management/v1/orgs/me',
    404,
    5,
    'AUTHZ-cdgFk',
    'membership not found',
    'refused',
    /no role in its own/,
  ],
  [
    'GET /management/v1/orgs/me',
    403,
    7,
    'AUTH-Bs7Ds',
    "Organisation doesn't exist",
    'refused',
    /no organization/,
  ],
  ['GET /admin/v1/orgs/nope', 404, 5, 'QUERY-leq5Q', 'Organisation not found', 'refused', /no organization/],
  ['GET /admin/v1/nope', 404, 5, '', 'Not Found', 'refused', /no such call/],
  ['PUT /management/v1/users/human/_import', 405, 12, '', 'Method Not Allowed', 'refused', /no such call/],
  ['POST /management/v1/users/human/_import', 409, 6, 'V3-DKcYh', 'User already exists', 'refused'],
  ['POST /management/v1/users/human/_import', 400, 3, 'CRYPT-r8Qm2', 'Password is invalid', 'refused'],
  [
    'POST /management/v1/users/human/_import',
    500,
    13,
    'RECOVER',
    'Errors.Internal',
    'refused',
    /fails again/,
  ],
  ['POST /admin/v1/import', 500, 2, '', 'context deadline exceeded ()', 'unsure', /--chunk-users/],
  ['POST /admin/v1/import', 500, 2, '', 'time: missing unit in duration "30" ()', 'unsure', /Go duration/],
  ['POST /v2/actions/targets', 409, 6, 'V3-DKcYh', 'Errors.Target.AlreadyExists', 'refused', /of this name/],
  ['POST /v2/actions/targets', 400, 3, 'COMMAND-NcJUKo', 'Errors.Target.DeniedURL', 'refused', /deny list/],
  [
    'GET /v2/actions/targets/nope',
    404,
    5,
    'QUERY-hj5oaniyrz',
    'Target not found',
    'refused',
    /no such target/,
  ],
  [
    'POST /v2/actions/targets/nope',
    404,
    5,
    'COMMAND-xj14f2cccn',
    'Target not found',
    'refused',
    /no such target/,
  ],
  ['PUT /v2/actions/executions', 404, 5, 'COMMAND-17e8fq1ggk', 'Target not found', 'refused', /given twice/],
  [
    'PUT /v2/actions/executions',
    404,
    5,
    'COMMAND-vysplsevt8',
    'Execution condition is invalid',
    'refused',
    /names methods/,
  ],
  [
    'PUT /v2/actions/executions',
    404,
    5,
    'COMMAND-qu6dfhiioq',
    'Execution condition is invalid',
    'refused',
    /names methods/,
  ],
];

const recorded: Recorded[] = rows.map(([call, status, code, id, text, verdict, remedy = /^$/]) => ({
  call,
  status,
  code,
  id,
  text,
  verdict,
  remedy,
}));

describe('a refusal of the real service', () => {
  it.each(recorded)('$status $id $text of $call', ({ call, status, code, id, text, verdict, remedy }) => {
    const [method = '', path = ''] = call.split(' ');
    const body = id === '' ? { status, body: { code, message: text } } : refusal(status, code, id, text);
    const problem = readProblem(toResponse(body));
    expect(problem).toMatchObject({ status, code, id: id === '' ? undefined : id });
    expect(classifyResponse(problem)).toBe(verdict);
    const found = remedyFor({ ...problem, method, path });
    expect(found ?? '').toMatch(remedy);
  });
});

interface RecordedCall {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly response: string;
}

const folder = fileURLToPath(new URL('../../fixtures/recorded/', import.meta.url));
const files = ['calls-self-hosted.jsonl', 'calls-all-verifiers.jsonl'].map((name) => `${folder}${name}`);

describe('the recorded calls', () => {
  const calls = (): RecordedCall[] =>
    files.flatMap((path) =>
      readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line): RecordedCall => JSON.parse(line)),
    );
  const problemOf = ({ status, response }: RecordedCall) =>
    readProblem({ status, headers: {}, text: response });

  it('have every refusal of this table', () => {
    const seen = new Set(
      calls().map((call) => {
        const { status, code, id = '', message } = problemOf(call);
        return JSON.stringify([`${call.method} ${call.path}`, status, code, id, message]);
      }),
    );
    const missing = recorded.filter(({ call, status, code, id, text }) => {
      const message =
        id === '' ? readProblem(toResponse({ body: { message: text } })).message : `${text} (${id})`;
      return !seen.has(JSON.stringify([call, status, code, id, message]));
    });
    expect(missing).toEqual([]);
  });

  it('have no refusal without an id where its text ends in one', () => {
    const problems = calls()
      .filter(({ status }) => status >= 400)
      .map(problemOf);
    const named = problems.filter(({ message }) => /\([A-Z][A-Za-z]*-[A-Za-z0-9]+\)$/.test(message));
    expect(named.length).toBeGreaterThan(100);
    expect(named.filter(({ id, message }) => !message.endsWith(`(${id})`))).toEqual([]);
  });
});
