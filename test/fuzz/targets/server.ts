/** Calls to the reference server: it answers each with a status of the service and a JSON body. */
import { methods } from '../../../src/server/methods/index.ts';
import { grpcToHttp } from '../../../src/wire/errors.ts';
import { createTestServer } from '../../support/full-server.ts';
import { sampleUser } from '../../support/users-run.ts';
import * as fc from 'fast-check';
import type { Draw } from '../../support/draw.ts';
import { drawn } from '../arbitraries.ts';
import { mutate } from '../mutate.ts';
import { drawMessage, drawPath, known } from '../requests.ts';
import { type FuzzTarget, fuzzProperty } from '../target.ts';

/** 405 is that of the layer below the service. */
const documented = new Set([...grpcToHttp, 201, 405]);
const callers = ['iamOwner', 'iamOwner', 'iamOwner', 'orgOwner', 'nobody'] as const;

const seed = {
  orgs: [
    {
      orgId: known.org,
      humanUsers: [{ ...sampleUser('ada'), userId: known.user }],
      machineUsers: [{ userId: known.machine, user: { userName: 'robot', name: 'Robot' } }],
      projects: [{ projectId: known.project, project: { name: 'Project' } }],
    },
  ],
};

function drawCall(draw: Draw) {
  const { route, request } = draw.pick(methods);
  const sound = Buffer.from(JSON.stringify(drawMessage(request.plan, draw)));
  return {
    ...drawPath(route, draw),
    body: draw.chance(0.4) ? sound : mutate(sound, draw),
    caller: draw.pick(callers),
    org: draw.pick([known.org, 'none', undefined]),
  };
}

export const server: FuzzTarget = {
  name: 'server',
  about: 'every call is answered with a status of the service and JSON, never with a crash',
  share: 1,
  async open() {
    return fuzzProperty(fc.array(drawn(drawCall), { minLength: 1, maxLength: 30 }), async (calls) => {
      const running = createTestServer({ allowPrivateTargets: false, storageEndpoint: 'http://127.0.0.1:1' });
      await running.seed(seed);
      for (const { verb, path, body, caller, org = running.orgId } of calls) {
        const answer = await running.app.request(`http://localhost${path}`, {
          method: verb,
          headers: { authorization: `Bearer ${running.tokens[caller]}`, 'x-zitadel-orgid': org },
          ...(verb !== 'GET' && { body: new Uint8Array(body) }),
        });
        checkAnswer(`${verb} ${path}`, answer.status, await answer.text());
        await running.settled();
      }
      // What kills the real service is imitated, and says so.
      const crash = running.logged.find((line) => /^unexpected: (?!.*ID=RECOVER)/s.test(line));
      if (crash !== undefined) throw new Error(crash);
    });
  },
};

function checkAnswer(call: string, status: number, text: string) {
  if (!documented.has(status)) throw new Error(`${call}: status ${status}`);
  const body = JSON.parse(text) as { code?: unknown; message?: unknown };
  if (status < 400 || (typeof body.code === 'number' && typeof body.message === 'string')) return;
  throw new Error(`${call}: ${status} without code and message: ${text.slice(0, 200)}`);
}
