/**
 * The reference server in a process of its own, from the built package. Asked by a message, it reports how many requests
 * arrived from the first user on and in how many seconds, the most within any second and any minute, and how many it
 * refused because of the rate.
 * `node child.js [requests a second]`: the hosted service's rule and ban for that rate.
 */
import { serve } from '@hono/node-server';
import { createReferenceServer } from '../../dist/server/library.js';

const rate = process.argv[2] === undefined ? null : Number(process.argv[2]);
const server = createReferenceServer({ profile: 'all-verifiers', control: false, rate });
let arrivals = [];
let beforeFirstUser = 0;
let begun = false;
let refused = 0;

const fetch = async (request, bindings) => {
  // An empty request only asks whether the call is known.
  begun ||= request.url.endsWith('/v2/users/new') && Number(request.headers.get('content-length')) > 2;
  if (!begun) beforeFirstUser += 1;
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
  const before = begun ? beforeFirstUser : 0;
  const count = arrivals.length - before;
  const seconds = count === 0 ? 0 : (arrivals.at(-1) - arrivals[before]) / 1000;
  process.send({
    count,
    seconds,
    worstSecond: worst(1000),
    worstMinute: worst(60_000),
    refused,
  });
  arrivals = [];
  beforeFirstUser = 0;
  begun = false;
  refused = 0;
});
process.on('disconnect', () => process.exit(0));
