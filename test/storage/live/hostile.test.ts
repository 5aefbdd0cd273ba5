/** Databases and directories that break, and such that mean harm: one error, in bounded time and memory. */
import { once } from 'node:events';
import { createServer, type Server, Socket } from 'node:net';
import { join } from 'node:path';
import { type Connection, createServer as createMysqlServer } from 'mysql2';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { countedRows } from '../../../src/lib/live-system.ts';
import { openDatabase } from '../../../src/storage/live/database.ts';
import { createGuard } from '../../../src/storage/live/guard.ts';
import { openDirectory } from '../../../src/storage/live/directory.ts';
import { createTestFolder } from '../../support/folder.ts';
import { listenHere } from '../../support/local-server.ts';

afterEach(() => vi.useRealTimers());

/** Writes the same for ever. */
function pour(socket: Socket, block: Buffer) {
  while (!socket.destroyed && socket.write(block));
  if (!socket.destroyed) socket.once('drain', () => pour(socket, block));
}

const password = '50%/ö@';

const loginTo = (address: string) => ({ address, isTyped: true, password });

const listen = async (server: Server) => new URL(await listenHere(server)).host;

/** Lets a reader wait for nothing, and the five minutes pass at once. */
function passTime() {
  setImmediate(() => vi.advanceTimersByTime(300_000));
}

/** Each of these answers ends the reading with one line. */
const refuses = <Answer>(
  read: (answer: Answer) => Promise<unknown>,
  answers: readonly (readonly [title: string, Answer, RegExp])[],
) =>
  it.each(answers)('is refused in one line if it %s', async (title, answer, message) => {
    if (title === 'says nothing') vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await expect(read(answer)).rejects.toMatchObject({ code: 'input:live', exitCode: 1, message });
  });

/** The rows that arrive, or the error. */
async function readCounted(address: string) {
  const db = await openDatabase(loginTo(address));
  onTestFinished(() => db.close());
  let rows = 0;
  for await (const lines of countedRows(db, 'users', 'select count(*)', db.readTexts('select x')))
    rows += lines.rows;
  return rows;
}

it.each([
  ['postgres://u:secret@db/app', /can be seen by other users/],
  ['postgres://u@db/app?password=secret', /has \?password=/],
  ['postgres://u@127.0.0.1/app?host=secret', /has \?host=/],
  ['postgres://u@127.0.0.1/app?port=secret', /has \?port=/],
  ['oracle://db/app', /expected an address such as postgres/],
  ['secret', /expected an address/],
  ['mysql://u:p@secret/w@db/app', /expected an address/],
])('openDatabase refuses the address %s without showing it', async (address, message) => {
  const error = await openDatabase(loginTo(address)).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ exitCode: 2, message });
  expect(String(error)).not.toContain('secret');
});

it('openDatabase reports an unreachable database, without a warning of its driver', async () => {
  const warn = vi.spyOn(process, 'emitWarning');
  await expect(readCounted('postgres://user@127.0.0.1:1/app?sslmode=require')).rejects.toMatchObject({
    code: 'input:live',
    message: expect.stringContaining('ECONNREFUSED'),
  });
  expect(warn).not.toHaveBeenCalled();
});

it.each(['postgres', 'mysql', 'ldap'])(
  'a silent server of %s is left when the run is interrupted',
  async (scheme) => {
    const stop = new AbortController();
    const server = createServer((socket) => {
      socket.on('error', () => {});
      stop.abort(new Error('interrupted'));
    });
    const address = `${scheme}://user@${await listen(server)}/app`;
    const login = { ...loginTo(address), signal: stop.signal };
    const reading =
      scheme === 'ldap'
        ? openDirectory(login, undefined).then((found) => found.read([])[Symbol.asyncIterator]().next())
        : openDatabase(login);
    await expect(reading).rejects.toThrow(/^interrupted$/);
  },
);

it('a database that needs a password says where to give it', () => {
  const error = new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string');
  expect(createGuard('db', undefined).problem(error)).toMatchObject({
    message: expect.stringMatching(/none is given$/),
    hint: expect.stringContaining('PGPASSWORD'),
  });
});

it('a server that sends a little at a time is not silent', () => {
  vi.useFakeTimers();
  const guard = createGuard('db', undefined);
  const socket = guard.watch(new Socket());
  void guard.during(once(socket, 'end'));
  for (const block of ['a', 'b']) {
    vi.advanceTimersByTime(200_000);
    socket.emit('data', block);
  }
  expect(vi.getTimerCount()).toBe(1);
});

describe('a PostgreSQL server', () => {
  /** A message of the protocol: a letter, its length, its bytes. */
  function message(letter: string, ...parts: readonly (string | Buffer)[]) {
    const body = Buffer.concat(
      parts.map((part) => (typeof part === 'string' ? Buffer.from(`${part}\0`) : part)),
    );
    const head = Buffer.alloc(5, letter);
    head.writeInt32BE(body.length + 4, 1);
    return Buffer.concat([head, body]);
  }

  const int16 = (value: number) => Buffer.from([value >> 8, value & 255]);
  const int32 = (value: number) => {
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
  const row = (text: string) => message('D', int16(1), int32(text.length), Buffer.from(text));
  const done = (tag: string) => Buffer.concat([message('C', tag), ready]);
  const refusal = (code: string, text: string) =>
    Buffer.concat([message('E', Buffer.from(`SERROR\0C${code}\0M${text}\0\0`)), ready]);

  /** The answer to COPY begins with the number of columns and their form. */
  const copying = message('H', Buffer.alloc(3));
  const line = (text: string) => message('d', Buffer.from(`${text}\n`));
  const copied = Buffer.concat([message('c'), done('COPY 3')]);

  /** A server of PostgreSQL's protocol; `copy` answers a COPY. */
  async function startServer(copy: (socket: Socket) => void, folder?: string) {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.on('data', (block) => {
        const text = block.toString('latin1');
        // Only the first message has no letter.
        if (text.startsWith('\0')) socket.write(message('R', int32(3)));
        else if (block.includes(password)) socket.write(Buffer.concat([message('R', int32(0)), ready]));
        else if (text.includes('COPY')) copy(socket);
        else if (text.includes('count(*)'))
          socket.write(Buffer.concat([columns, row('3'), done('SELECT 1')]));
        else socket.write(done('OK'));
      });
    });
    if (folder === undefined) return `postgres://user@${await listen(server)}/app`;
    await once(server.listen(join(folder, '.s.PGSQL.5432')), 'listening');
    onTestFinished(() => void server.close());
    return `postgres://user@${encodeURIComponent(folder)}/app`;
  }

  it.each([false, true])('is read to the counted row, over a socket: %s', async (isSocket) => {
    const folder = isSocket ? createTestFolder() : undefined;
    const rows = Buffer.concat([copying, line('a'), line('b'), line('c'), copied]);
    const url = await startServer((socket) => socket.write(rows), folder);
    expect(await readCounted(url)).toBe(3);
  });

  it('is read with back pressure', async () => {
    const lines = Buffer.concat(Array.from({ length: 100 }, () => line('x'.repeat(10_000))));
    let sent = () => 0;
    const url = await startServer((socket) => {
      sent = () => socket.bytesWritten;
      socket.write(copying);
      const send = () => void socket.write(lines, () => socket.destroyed || send());
      send();
    });
    const db = await openDatabase(loginTo(url));
    for await (const { rows } of db.readTexts('select x')) {
      expect(rows).toBeGreaterThan(0);
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(sent()).toBeLessThan(16 * 1024 * 1024);
      break;
    }
  });

  refuses<(socket: Socket) => void>(
    async (copy) => readCounted(await startServer(copy)),
    [
      [
        'cuts the connection in a row',
        (socket) => socket.end(Buffer.concat([copying, line('abc').subarray(0, 7)])),
        /terminated/,
      ],
      [
        'waits for a lock too long',
        (socket) => socket.write(refusal('55P03', 'canceling statement due to lock timeout')),
        /the database ended the statement: canceling statement due to lock/,
      ],
      [
        'ends the statement',
        (socket) => socket.write(refusal('57014', 'canceling statement due to statement timeout')),
        /the database ended the statement: canceling/,
      ],
      [
        'gives no right',
        (socket) => socket.write(refusal('42501', 'permission denied for table credential')),
        /a permission is missing: permission denied for table credential/,
      ],
      [
        'has bytes of another encoding',
        (socket) => socket.write(refusal('22021', 'invalid byte sequence for encoding "UTF8": 0xe9')),
        /a text is not UTF-8: invalid byte sequence/,
      ],
      [
        'gives fewer rows than counted',
        (socket) => socket.write(Buffer.concat([copying, line('a'), copied])),
        /3 users were counted, and 1 arrived/,
      ],
      [
        'sends a row of a gigabyte',
        (socket) => {
          socket.write(Buffer.concat([copying, Buffer.from('d'), int32(1 << 30)]));
          pour(socket, Buffer.alloc(1 << 20));
        },
        /more than 64 MB arrived without a whole batch of users/,
      ],
      [
        'sends rows without end',
        (socket) => {
          socket.write(copying);
          pour(socket, Buffer.concat(Array.from({ length: 10_000 }, () => line('x'.repeat(100)))));
        },
        /3 users were counted, and more arrived/,
      ],
    ],
  );
});

type Inside = Connection & {
  readonly stream: Socket;
  sequenceId: number;
  serverHandshake(options: object): void;
  writeOk(): void;
  writeError(error: { readonly code: number; readonly message: string }): void;
  writeTextResult(rows: readonly object[], columns: readonly object[]): void;
};

describe('a MySQL server', () => {
  const columns = [
    {
      catalog: 'def',
      schema: '',
      table: '',
      orgTable: '',
      name: 'x',
      orgName: '',
      columnType: 253,
      characterSet: 45,
      columnLength: 99,
      flags: 0,
      decimals: 0,
    },
  ];

  /** `read` answers the statement whose rows are to be read. */
  async function readAll(read: (client: Inside) => void) {
    const server = createMysqlServer((connection) => {
      const client = connection as unknown as Inside;
      client.on('error', () => {});
      // Each command begins with packet 0.
      const answer = (write: () => void) => {
        client.sequenceId = 1;
        write();
        client.sequenceId = 0;
      };
      client.serverHandshake({
        protocolVersion: 10,
        serverVersion: '8.4.0',
        connectionId: 1,
        statusFlags: 2,
        characterSet: 45,
        capabilityFlags: 0x00ffdfff,
        authCallback: (_: unknown, agree: () => void) => {
          agree();
          client.sequenceId = 0;
        },
      });
      // It tells SET from other statements.
      client.on('stmt_prepare', () => answer(() => client.writeOk()));
      client.on('query', (sql: unknown) =>
        answer(() => {
          if (sql === 'select x') read(client);
          else if (String(sql).includes('count')) client.writeTextResult([{ x: '3' }], columns);
          else client.writeOk();
        }),
      );
    });
    const { _server: inner } = server as unknown as { readonly _server: Server };
    return readCounted(`mysql://user@${await listen(inner)}/app`);
  }

  it('is read to the counted row', async () => {
    const rows = readAll((client) => client.writeTextResult([{ x: 'a' }, { x: 'b' }, { x: 'c' }], columns));
    expect(await rows).toBe(3);
  });

  refuses<(client: Inside) => void>(readAll, [
    ['cuts the connection', ({ stream }) => stream.destroy(), /closed|lost/],
    ['says nothing', passTime, /no answer for 300 seconds/],
    ['talks another language', ({ stream }) => stream.end('HTTP/1.1 400 Bad Request\r\n\r\n'), /./],
    [
      'gives no right',
      (client) => client.writeError({ code: 1142, message: 'SELECT command denied to user for CREDENTIAL' }),
      /a permission is missing: SELECT command denied to user for CREDENTIAL/,
    ],
    [
      'has another schema',
      (client) => client.writeError({ code: 1146, message: "Table 'app.REALM' doesn't exist" }),
      /not found: Table 'app.REALM' doesn't exist/,
    ],
    [
      'would control the screen',
      (client) => client.writeError({ code: 1105, message: '\u001b[2Jpassword=hunter2hunter2' }),
      /^127\.0\.0\.1:\d+: \\u001b\[2Jpassword=\*\*\*$/,
    ],
    [
      'gives more rows than counted',
      (client) =>
        client.writeTextResult(
          Array.from({ length: 500 }, () => ({ x: 'a' })),
          columns,
        ),
      /3 users were counted, and more arrived/,
    ],
    [
      'sends a packet that never ends',
      ({ stream }) => {
        stream.write(Buffer.from([1, 0, 0, 1, 1]));
        pour(stream, Buffer.concat([Buffer.from([255, 255, 255, 2]), Buffer.alloc(0xffffff, 'x')]));
      },
      /more than 64 MB arrived/,
    ],
  ]);
});

describe('an LDAP directory', () => {
  const ber = (tag: number, ...parts: readonly (string | Buffer)[]) => {
    const body = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
    return Buffer.concat([Buffer.from([tag, 0x82, body.length >> 8, body.length & 255]), body]);
  };
  const reply = (id: number, tag: number, ...parts: readonly Buffer[]) =>
    ber(0x30, ber(2, Buffer.from([id])), ber(tag, ...parts));
  const result = (id: number, tag: number, code: number, text = '') =>
    reply(id, tag, ber(10, Buffer.from([code])), ber(4), ber(4, text));
  const ends =
    (code: number, text = '') =>
    (socket: Socket, id: number) =>
      socket.write(result(id, 0x65, code, text));
  /** The end of a page, after which more follow. */
  const endOfPage = (id: number) => {
    const cookie = ber(0x30, ber(2, Buffer.from([0])), ber(4, 'more'));
    const control = ber(0x30, ber(4, '1.2.840.113556.1.4.319'), ber(4, cookie));
    const done = ber(0x65, ber(10, Buffer.from([0])), ber(4), ber(4));
    return ber(0x30, ber(2, Buffer.from([id >> 8, id & 255])), done, ber(0xa0, control));
  };
  const entry = (id: number, dn: string) =>
    reply(id, 0x64, ber(4, dn), ber(0x30, ber(0x30, ber(4, 'uid'), ber(0x31, ber(4, 'ann')))));

  async function readAll(search: (socket: Socket, id: number, request: Buffer) => void, asked = '') {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.on('data', (request) => {
        const [length = 0] = request.subarray(1);
        const at = length < 128 ? 2 : length - 126;
        const end = at + 2 + request[at + 1]!;
        const id = request.readUIntBE(at + 2, end - at - 2);
        const operation = request[end];
        if (operation === 0x60) socket.write(result(id, 0x61, 0));
        else if (operation === 0x63) search(socket, id, request);
      });
    });
    const address = `ldap://${await listen(server)}/dc=example${asked}`;
    const directory = await openDirectory(loginTo(address), undefined);
    const found: unknown[] = [];
    for await (const page of directory.read(['uid'])) found.push(...page);
    return found;
  }

  it.each([
    ['', 2],
    ['??one', 1],
  ])('is read, as far down as the address says: %j', async (asked, scope) => {
    // The scope is the third byte after the base.
    const search = (socket: Socket, id: number, request: Buffer) => {
      const dn = `uid=${request[request.indexOf('dc=example') + 12]}`;
      socket.write(Buffer.concat([entry(id, dn), result(id, 0x65, 0)]));
    };
    const attributes = [['uid', Buffer.from('ann')]];
    expect(await readAll(search, asked)).toEqual([{ dn: `uid=${scope}`, attributes }]);
  });

  it('is read through empty pages, as of Active Directory', async () => {
    const pages = [['uid=ann'], [], [], ['uid=ben']];
    const search = (socket: Socket, id: number) => {
      const found = (pages.shift() ?? []).map((dn) => entry(id, dn));
      socket.write(Buffer.concat([...found, pages.length === 0 ? result(id, 0x65, 0) : endOfPage(id)]));
    };
    expect(await readAll(search)).toMatchObject([{ dn: 'uid=ann' }, { dn: 'uid=ben' }]);
  });

  refuses(readAll, [
    ['cuts the connection', (socket) => socket.destroy(), /Connection closed/],
    ['says nothing', passTime, /Operation timed out/],
    ['talks another language', (socket) => socket.write(Buffer.alloc(1000, 'HTTP ')), /./],
    ['gives no right', ends(50, 'no search access'), /a permission is missing: no search access/],
    ['asks for encryption', ends(8, 'required'), /it wants an encrypted connection: required/],
    ['has a limit of entries', ends(4), /it limits searches by this account: Code: 0x4/],
    ['has another base', ends(32), /not found: /],
    [
      'would control the screen',
      ends(80, '\u001b[2Jpassword=hunter2hunter2'),
      /: \\u001b\[2Jpassword=\*\*\*/,
    ],
    [
      'sends entries without end',
      (socket, id) => pour(socket, Buffer.concat(Array.from({ length: 1000 }, () => entry(id, 'uid=ann')))),
      /more than 8 MB arrived/,
    ],
    ['sends empty pages without end', (socket, id) => socket.write(endOfPage(id)), /the entries do not end/],
    [
      'sends an entry that never ends',
      (socket) => {
        socket.write(Buffer.from([0x30, 0x84, 0x7f, 0xff, 0xff, 0xff]));
        pour(socket, Buffer.alloc(1 << 20));
      },
      /more than 8 MB arrived/,
    ],
  ]);
});
