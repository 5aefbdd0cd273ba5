/**
 * One server in a process of its own, from the built package: `reference`, or `bare` (the same framework, a handler
 * that only reads the body). Reports to its parent port, token, processor seconds and heap: at the start and when asked.
 */
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { createReferenceServer } from '../../dist/server/library.js';

const { port, token } = await start(process.argv[2]);

function report() {
  globalThis.gc?.();
  const { user, system } = process.cpuUsage();
  process.send({ port, token, cpuSeconds: (user + system) / 1e6, heapBytes: process.memoryUsage().heapUsed });
}

report();
process.on('message', report);
process.on('disconnect', () => process.exit(0));

async function start(kind) {
  if (kind === 'reference') {
    const server = createReferenceServer({ profile: 'all-verifiers', control: false });
    const listening = await server.listen({ port: 0, ownProcess: true });
    return { port: listening.port, token: server.tokens.iamOwner };
  }
  const app = new Hono();
  app.post('/management/v1/users/human/_import', async (context) => {
    const body = await context.req.json();
    return context.json({ userId: body.userName });
  });
  return new Promise((resolve) => {
    serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, (info) =>
      resolve({ port: info.port, token: 'none' }),
    );
  });
}
