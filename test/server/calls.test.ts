/** Lists of calls in `fixtures/service-calls.yaml`, each at a server of its own: what no recorded call has. */
import { expect, it } from 'vitest';
import { casesIn, fill, proveTexts } from '../support/cases.ts';
import { createTestServer } from '../support/full-server.ts';

it.each(casesIn('service-calls'))('%s', async (_, { server: options, calls }) => {
  const server = createTestServer({}, options);
  const { orgId, instanceId, users, controlToken: token } = server;
  const known: Record<string, string> = { org: orgId, instance: instanceId, ...users };
  for (const step of calls.flat()) {
    const { call, send, after = 0, as, org, with: headers, keep = {}, ...told } = fill(step, known);
    await server.clock.advance(after);
    const answer = await server.call(call, send, {
      ...(as === 'control' ? { token: token! } : { as }),
      orgId: org,
      headers,
    });
    await server.settled();
    const { status, body } = answer;
    const { message = '', is = body, without = [], hides, ...expected } = told;
    const found = { call, isRefused: status > 299, ...answer, headers: Object.fromEntries(answer.headers) };
    const isRefused = Boolean(message || expected.errorId || expected.status);
    expect(found).toMatchObject({ call, isRefused, ...expected });
    expect(body.message ?? '').toContain(message);
    expect({ call, body }).toEqual({ call, body: is });
    proveTexts(JSON.stringify(body), [], hides);
    for (const path of without) expect(found).not.toHaveProperty(path);
    for (const [name, path] of Object.entries<string>(keep)) known[name] = body[path];
  }
});
