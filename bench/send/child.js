/**
 * The reference server in a process of its own, from the built package, with a watch at its door: when asked, it tells
 * how many requests arrived, the most within any second and any minute, how long that took, and how many it refused
 * for the rate. `node child.js [requests a second]`: the hosted service's rule and ban for that rate.
 */
import { serve } from '@hono/node-server';
import { createReferenceServer } from '../../dist/server/index.js';

const rate = process.argv[2] === undefined ? null : Number(process.argv[2]);
const server = createReferenceServer({ profile: 'all-verifiers', control: false, rate });
let arrivals = [];
let refused = 0;

const fetch = async (request, bindings) => {
  arrivals.push(performance.now());
  const answer = await server.app.fetch(request, bindings);
  if (answer.status === 429) refused += 1;
  return answer;
};

/** Most arrivals within any `ms` milliseconds. */
function worst(ms) {
  let most = 0;
  let from = 0;
  for (let at = 0; at < arrivals.length; at++) {
    while (arrivals[at] - arrivals[from] >= ms) from++;
    most = Math.max(most, at - from + 1);
  }
  return most;
}

serve({ fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => {
  process.send({ port, token: server.tokens.iamOwner, orgId: server.orgId });
});
process.on('message', () => {
  const seconds = arrivals.length === 0 ? 0 : (arrivals.at(-1) - arrivals[0]) / 1000;
  process.send({
    count: arrivals.length,
    seconds,
    worstSecond: worst(1000),
    worstMinute: worst(60_000),
    refused,
  });
  arrivals = [];
  refused = 0;
});
process.on('disconnect', () => process.exit(0));
