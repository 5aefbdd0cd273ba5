/** Databases that break, and such that mean harm: one error, in bounded time and memory. */
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { countedRows } from '../../../src/sources/live.ts';
import { openDatabase } from '../../../src/storage/live/database.ts';
import { withinSilence } from '../../../src/storage/live/guard.ts';

/** A message of the protocol: a letter, its length, its bytes. */
function message(letter: string, ...parts: readonly (string | Buffer)[]): Buffer {
  const body = Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(`${part}\0`) : part)),
  );
  const head = Buffer.alloc(5, letter);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const int16 = (value: number): Buffer => Buffer.from([value >> 8, value & 255]);
const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};
const ready = message('Z', Buffer.from('T'));
const columns = message(
  'T',
  int16(1),
  'x',
  int32(0),
  int16(0),
  int32(25),
  int16(-1 & 0xffff),
  int32(-1),
  int16(0),
);
const row = (text: string): Buffer => message('D', int16(1), int32(text.length), Buffer.from(text));
const done = (tag: string): Buffer => Buffer.concat([message('C', tag), ready]);
const refusal = (code: string, text: string): Buffer =>
  Buffer.concat([message('E', Buffer.from(`SERROR\0C${code}\0M${text}\0\0`)), ready]);

/** A server of PostgreSQL's protocol; `fetch` answers a FETCH. */
async function startServer(fetch: (socket: Socket) => void, count = '3'): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    let isStarted = false;
    socket.on('data', (block) => {
      const text = block.toString('latin1');
      if (!isStarted) {
        isStarted = true;
        socket.write(Buffer.concat([message('R', int32(0)), ready]));
      } else if (text.includes('FETCH')) fetch(socket);
      else if (text.includes('count(*)'))
        socket.write(Buffer.concat([columns, row(count), done('SELECT 1')]));
      else socket.write(done('OK'));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `postgres://user@127.0.0.1:${(server.address() as AddressInfo).port}/app`;
}

const open = (address: string) => openDatabase({ address, isTyped: true, password: undefined });

/** The rows that arrive, or the error. */
async function readAll(url: string): Promise<number> {
  const db = await open(url);
  onTestFinished(() => db.close());
  let rows = 0;
  for await (const batch of countedRows(db, 'users', 'select count(*)', 'select x')) rows += batch.length;
  return rows;
}

it('reads what was counted', async () => {
  const url = await startServer((socket) =>
    socket.write(Buffer.concat([columns, row('a'), row('b'), row('c'), done('FETCH 3')])),
  );
  expect(await readAll(url)).toBe(3);
});

it.each([
  ['a connection that is cut in a row', (socket: Socket) => socket.end(columns.subarray(0, 9)), /terminated/],
  [
    'a statement that is ended',
    (socket: Socket) => socket.write(refusal('57014', 'canceling statement due to statement timeout')),
    /the database ended the statement: canceling/,
  ],
  [
    'a permission',
    (socket: Socket) => socket.write(refusal('42501', 'permission denied for table credential')),
    /a permission is missing: permission denied for table credential/,
  ],
  [
    'words that would control the screen',
    (socket: Socket) => socket.write(refusal('XX000', '\u001b[2Jpassword=hunter2hunter2')),
    /^127\.0\.0\.1:\d+: \\u001b\[2Jpassword=\*\*\*$/,
  ],
  [
    'fewer rows than counted',
    (socket: Socket) => socket.write(Buffer.concat([columns, row('a'), done('FETCH 1')])),
    /3 users were counted, and 1 arrived/,
  ],
  [
    'more rows than counted',
    (socket: Socket) =>
      socket.write(
        Buffer.concat([columns, ...Array.from({ length: 100 }, () => row('a')), done('FETCH 100')]),
      ),
    /3 users were counted, and more arrived/,
  ],
] as const)('ends with one line: %s', async (_, fetch, message) => {
  await expect(readAll(await startServer(fetch))).rejects.toMatchObject({
    code: 'input:live',
    exitCode: 1,
    message: expect.stringMatching(message),
  });
});

it.each([
  [
    'a row of a gigabyte',
    () => Buffer.concat([columns, Buffer.from('D'), int32(1 << 30), Buffer.alloc(1 << 20)]),
    Buffer.alloc(1 << 20),
  ],
  [
    'rows without end',
    () => columns,
    Buffer.concat(Array.from({ length: 10_000 }, () => row('x'.repeat(100)))),
  ],
])('ends with one line, in bounded memory: %s', async (_, first, more) => {
  const flood = (socket: Socket): void => {
    const pour = (): void => {
      while (!socket.destroyed && socket.write(more));
      if (!socket.destroyed) socket.once('drain', pour);
    };
    socket.write(first());
    pour();
  };
  await expect(readAll(await startServer(flood))).rejects.toMatchObject({
    message: expect.stringContaining('more than 64 MB arrived without a whole batch of users'),
  });
});

it('ends with one line where nothing comes', async () => {
  await expect(withinSilence('db:1', new Promise(() => {}), 20)).rejects.toThrow(
    'db:1: no answer for 0 seconds',
  );
});

it.each([
  ['postgres://u:secret@db/app', /can be seen by other users/],
  ['oracle://db/app', /expected an address such as postgres/],
  ['secret', /expected an address/],
])('refuses the address %s without showing it', async (address, message) => {
  const error = await open(address).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ exitCode: 2, message: expect.stringMatching(message) });
  expect(String(error)).not.toContain('secret');
});

it('says how a database is not reached', async () => {
  await expect(open('postgres://user@127.0.0.1:1/app')).rejects.toMatchObject({
    code: 'input:live',
    message: expect.stringContaining('ECONNREFUSED'),
  });
});
