/**
 * The bare loop that `import-users` is measured against: the users of a body sent with undici's own `Pool.request`,
 * as many at a time, each answer read and looked at. Prints the processor time and the wall time of the loop alone.
 *
 *     node bare.js body.json port token orgId connections
 */
import { readFileSync } from 'node:fs';
import { Pool } from 'undici';

const [path, port, token, orgId, connections] = process.argv.slice(2);
const [{ humanUsers }] = JSON.parse(readFileSync(path, 'utf8')).dataOrgs.orgs;
const bodies = humanUsers.map(({ user }) => JSON.stringify(user));
const pool = new Pool(`http://127.0.0.1:${port}`, { connections: Number(connections), pipelining: 1 });
const headers = {
  authorization: `Bearer ${token}`,
  'content-type': 'application/json',
  'x-zitadel-orgid': orgId,
};
let next = 0;

async function work() {
  while (next < bodies.length) {
    const answer = await pool.request({
      method: 'POST',
      path: '/management/v1/users/human/_import',
      headers,
      body: bodies[next++],
    });
    const { userId } = await answer.body.json();
    if (typeof userId !== 'string') throw new Error(`status ${answer.statusCode}: no userId`);
  }
}

const before = process.cpuUsage();
const begin = performance.now();
await Promise.all(Array.from({ length: Number(connections) }, work));
const { user, system } = process.cpuUsage(before);
console.log(
  JSON.stringify({ cpuSeconds: (user + system) / 1e6, seconds: (performance.now() - begin) / 1000 }),
);
await pool.close();
