/** Calls to the reference server: whatever comes, it answers with a status of the service and a body that is JSON. */
import type { Route } from '../../../src/server/method.ts';
import { methods } from '../../../src/server/methods/index.ts';
import { grpcToHttp } from '../../../src/wire/errors.ts';
import type { MessagePlan } from '../../../src/wire/message.ts';
import { createTestServer } from '../../support/full-server.ts';
import { mutate } from '../mutate.ts';
import { drawMessage, drawPath, known } from '../requests.ts';
import { Finding, type FuzzTarget } from '../target.ts';

/** 405 is that of the layer below the service. */
const documented = new Set([...grpcToHttp, 201, 405]);
/** What earlier calls left behind is dropped after so many. */
const callsOfOne = 500;

const callers = ['iamOwner', 'iamOwner', 'iamOwner', 'orgOwner', 'nobody'] as const;

interface Call {
  readonly route: Route;
  readonly plan: MessagePlan;
}

async function start() {
  const server = createTestServer({ allowPrivateTargets: false, storageEndpoint: 'http://127.0.0.1:1' });
  await server.seed(seed);
  const calls = methods.map(({ route, request }): Call => ({ route, plan: request.plan }));
  return { ...server, calls };
}

const seed = {
  orgs: [
    {
      orgId: known.org,
      humanUsers: [
        {
          userId: known.user,
          user: {
            userName: 'ada',
            profile: { firstName: 'Ada', lastName: 'Lovelace' },
            email: { email: 'ada@example.org', isEmailVerified: true },
          },
        },
      ],
      machineUsers: [{ userId: known.machine, user: { userName: 'robot', name: 'Robot' } }],
      projects: [{ projectId: known.project, project: { name: 'Project' } }],
    },
  ],
};

export const server: FuzzTarget = {
  name: 'server',
  about: 'every call is answered with a status of the service and JSON, never with a crash',
  share: 10,
  async open() {
    let running = await start();
    let left = callsOfOne;
    const renew = async () => {
      running = await start();
      left = callsOfOne;
    };
    return {
      renew,
      make(draw) {
        const { plan } = draw.pick(running.calls);
        const body = Buffer.from(JSON.stringify(drawMessage(plan, draw)));
        return draw.chance(0.4) ? body : mutate(body, draw, [body]);
      },
      async check(input, draw) {
        const { route } = draw.pick(running.calls);
        if (left-- === 0) await renew();
        const { verb, path } = drawPath(route, draw);
        const logged = running.logged.length;
        const answer = await running.app.request(`http://localhost${path}`, {
          method: verb,
          headers: {
            authorization: `Bearer ${running.tokens[draw.pick(callers)]}`,
            'x-zitadel-orgid': draw.pick([known.org, running.orgId, 'none']),
          },
          ...(verb === 'GET' ? {} : { body: new Uint8Array(input) }),
        });
        const text = await answer.text();
        await running.settled();
        const crashes = running.logged.slice(logged).filter((line) => line.startsWith('unexpected: '));
        // What kills the real service is imitated, and says so.
        const crash = crashes.find((line) => !line.includes('ID=RECOVER'));
        if (crash !== undefined) throw new Finding('crash', `${route}: ${crash}`);
        checkAnswer(`${verb} ${path}`, answer.status, text);
      },
    };
  },
};

function checkAnswer(call: string, status: number, text: string) {
  if (!documented.has(status)) throw new Finding('difference', `${call}: status ${status}`);
  const body = JSON.parse(text) as { code?: unknown; message?: unknown };
  if (status < 400 || (typeof body.code === 'number' && typeof body.message === 'string')) return;
  throw new Finding('difference', `${call}: ${status} without code and message: ${text.slice(0, 200)}`);
}
