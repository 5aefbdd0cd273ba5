import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildConnector } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { Lanes, type LaneHandler } from '../../src/api/lanes.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

interface Place {
  readonly lanes: Lanes;
  /** The port of the client for each request, in the order in which they arrived. */
  readonly ports: (number | undefined)[];
}

async function open(connections: number, listener: RequestListener): Promise<Place> {
  const ports: (number | undefined)[] = [];
  const server = createServer((request, response) => {
    ports.push(request.socket.remotePort);
    listener(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const lanes = new Lanes({ origin: `http://127.0.0.1:${port}`, connections, connect: {} });
  closers.push(() => {
    server.close();
    server.closeAllConnections();
  });
  closers.push(() => lanes.close());
  return { lanes, ports };
}

/** `ended` is called with the status, in the same turn in which the answer is there; or with an error. */
function post({ lanes }: Pick<Place, 'lanes'>, ended: (end: number | Error) => void): void {
  let status = 0;
  const handler: LaneHandler = {
    onConnect: () => undefined,
    onHeaders(seen) {
      status = seen;
      return true;
    },
    onData: () => true,
    onComplete: () => ended(status),
    onError: ended,
  };
  lanes.dispatch(
    { origin: lanes.origin, path: '/', method: 'POST', body: 'some', headersTimeout: 5000 },
    handler,
  );
}

const posted = (place: Pick<Place, 'lanes'>): Promise<number | Error> =>
  new Promise((resolve) => post(place, resolve));

describe('lanes', () => {
  it('have so many connections and one request on each of them at a time; the others wait', async () => {
    const underWay = new Map<number | undefined, number>();
    let most = 0;
    const place = await open(3, (request, response) => {
      const { remotePort } = request.socket;
      const here = (underWay.get(remotePort) ?? 0) + 1;
      underWay.set(remotePort, here);
      most = Math.max(most, here);
      setImmediate(() => {
        underWay.set(remotePort, here - 1);
        response.end();
      });
    });
    const ends = await Promise.all(Array.from({ length: 50 }, () => posted(place)));
    expect(ends).toEqual(Array<number>(50).fill(200));
    expect(new Set(place.ports).size).toBe(3);
    expect(most).toBe(1);
  });

  it('take the request that follows on an answer along on the same connection', async () => {
    const place = await open(8, (_, response) => void response.end());
    await new Promise<void>((resolve) => {
      let left = 20;
      const next = (): void => (left-- > 0 ? post(place, next) : resolve());
      next();
    });
    expect(place.ports).toHaveLength(20);
    expect(new Set(place.ports).size).toBe(1);
  });

  it('go on where the service closes the connection after each answer', async () => {
    const place = await open(2, (_, response) => void response.setHeader('connection', 'close').end());
    const ends: (number | Error)[] = [];
    await new Promise<void>((resolve) => {
      const next = (end: number | Error): void => {
        ends.push(end);
        if (ends.length < 10) post(place, next);
        else resolve();
      };
      post(place, next);
    });
    expect(ends).toEqual(Array<number>(10).fill(200));
  });

  it('tell of a connection that fails, and connect anew for whoever comes next', async () => {
    const place = await open(1, (_, response) => void response.end());
    const real = buildConnector({});
    let failures = 2;
    const lanes = new Lanes({
      origin: place.lanes.origin,
      connections: 1,
      connect(options, callback) {
        if (failures-- > 0) callback(new Error('unplugged'), null);
        else real(options, callback);
      },
    });
    closers.push(() => lanes.close());
    const ends = await Promise.all([1, 2, 3, 4].map(() => posted({ lanes })));
    expect(ends).toMatchObject([{ message: 'unplugged' }, { message: 'unplugged' }, 200, 200]);
  });
});
