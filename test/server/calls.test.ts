/** Lists of calls in `fixtures/service-calls.yaml`, each at a server of its own: what no recorded call has. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { fixture } from '../support/folder.ts';
import { createTestServer } from '../support/full-server.ts';

const scenes: any[] = parse(readFileSync(fixture('service-calls.yaml'), 'utf8'), {
  merge: true,
});

it.each(scenes.map(({ what, ...scene }) => [what, scene]))('%s', async (_, { server: options, calls }) => {
  const server = createTestServer({}, options);
  const { orgId, instanceId, users, controlToken: token } = server;
  const known: Record<string, string> = { org: orgId, instance: instanceId, ...users };
  for (const step of calls.flat()) {
    const text = JSON.stringify(step).replaceAll(
      /\$\{?([a-zA-Z]+)\}?/g,
      (whole, name) => known[name] ?? whole,
    );
    const { call, send, after = 0, as, org, with: headers, keep = {}, ...told } = JSON.parse(text);
    await server.clock.advance(after);
    const answer = await server.call(call, send, {
      ...(as === 'control' ? { token: token! } : { as }),
      orgId: org,
      headers,
    });
    await server.settled();
    const { status, body } = answer;
    const { message = '', is = body, without = [], hides = [], ...expected } = told;
    const found = { call, isRefused: status > 299, ...answer, headers: Object.fromEntries(answer.headers) };
    const isRefused = Boolean(message || expected.errorId || expected.status);
    expect(found).toMatchObject({ call, isRefused, ...expected });
    expect(body.message ?? '').toContain(message);
    expect({ call, body }).toEqual({ call, body: is });
    for (const secret of hides) expect(JSON.stringify(body)).not.toContain(secret);
    for (const path of without) expect(found).not.toHaveProperty(path);
    for (const [name, path] of Object.entries<string>(keep)) known[name] = body[path];
  }
});
