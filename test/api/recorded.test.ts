/** What the client makes of refusals as the real service words them in its recorded calls. */
import { expect, it } from 'vitest';
import { readProblem, classifyResponse, remedyFor, type Verdict } from '../../src/api/refusals.ts';
import { readProject } from '../support/folder.ts';

interface RecordedCall {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly response: string;
}

const refusals = ['calls-self-hosted.jsonl', 'calls-all-verifiers.jsonl']
  .flatMap((name) => readProject(`fixtures/recorded/${name}`).trim().split('\n'))
  .map((line): RecordedCall => JSON.parse(line))
  .filter(({ status }) => status >= 400)
  .map(({ method, path, status, response }) => {
    const problem = readProblem({ status, headers: {}, text: response });
    return { call: `${method} ${path}`, problem: { ...problem, method, path } };
  });

type Row = [call: string, status: number, idOrText: string, verdict: Verdict, remedy?: RegExp];
const rows: Row[] = [
  ['GET /auth/v1/users/me', 401, 'auth header missing', 'renew', /--token-file/],
  ['GET /auth/v1/users/me', 401, 'AUTH-7fs1e', 'renew', /expired.*scope/],
  ['GET /auth/v1/users/me', 401, 'AUTH-toLo1', 'renew', /not of a form/],
  ['POST /admin/v1/import', 403, 'AUTH-5mWD2', 'refused', /IAM_OWNER/],
  ['POST /admin/v1/import', 404, 'AUTHZ-cdgFk', 'refused', /no role at the instance/],
  ['GET /management/v1/orgs/me', 404, 'AUTHZ-cdgFk', 'refused', /no role in its own/],
  ['GET /management/v1/orgs/me', 403, 'AUTH-Bs7Ds', 'refused', /no organization/],
  ['GET /admin/v1/orgs/nope', 404, 'QUERY-leq5Q', 'refused', /no organization/],
  ['GET /admin/v1/nope', 404, 'Not Found', 'refused', /no such call/],
  ['PUT /management/v1/users/human/_import', 405, 'Method Not Allowed', 'refused', /no such call/],
  ['POST /management/v1/users/human/_import', 409, 'V3-DKcYh', 'refused'],
  ['POST /management/v1/users/human/_import', 400, 'CRYPT-r8Qm2', 'refused'],
  ['POST /management/v1/users/human/_import', 500, 'RECOVER', 'refused', /will fail again/],
  ['POST /admin/v1/import', 500, 'context deadline exceeded', 'unsure', /--chunk-users/],
  ['POST /admin/v1/import', 500, 'time: missing unit in duration "30"', 'unsure', /Go duration/],
  ['POST /v2/actions/targets', 409, 'V3-DKcYh', 'refused', /of this name/],
  ['POST /v2/actions/targets', 400, 'COMMAND-NcJUKo', 'refused', /deny list/],
  ['GET /v2/actions/targets/nope', 404, 'QUERY-hj5oaniyrz', 'refused', /no such target/],
  ['POST /v2/actions/targets/nope', 404, 'COMMAND-xj14f2cccn', 'refused', /no such target/],
  ['PUT /v2/actions/executions', 404, 'COMMAND-17e8fq1ggk', 'refused', /given twice/],
  ['PUT /v2/actions/executions', 404, 'COMMAND-vysplsevt8', 'refused', /A method looks like/],
  ['PUT /v2/actions/executions', 404, 'COMMAND-qu6dfhiioq', 'refused', /A method looks like/],
];

it.each(rows)('%s, %i %s: %s', (call, status, idOrText, verdict, remedy = /^$/) => {
  const found = refusals.find(
    (one) =>
      one.call === call &&
      one.problem.status === status &&
      (one.problem.id === idOrText || (!one.problem.id && one.problem.message.startsWith(idOrText))),
  );
  expect(found && classifyResponse(found.problem)).toBe(verdict);
  expect((found && remedyFor(found.problem)) ?? '').toMatch(remedy);
});

it('readProblem finds the id at the end of every recorded refusal', () => {
  const named = refusals.filter(({ problem }) => /\([A-Z][A-Za-z]*-[A-Za-z0-9]+\)$/.test(problem.message));
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter(({ problem: { id, message } }) => !message.endsWith(`(${id})`))).toEqual([]);
});
