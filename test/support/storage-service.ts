/**
 * A storage service on a port of its own: Google's JSON interface with resumable uploads, and what can go wrong with
 * it.
 */
import { createHash, generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createCRC32 } from 'hash-wasm';
import { jwtVerify } from 'jose';

export type StorageService = Awaited<ReturnType<typeof startStorageService>>;

const rights: Record<string, readonly string[]> = {
  writer: ['read', 'write'],
  reader: ['read'],
  nobody: [],
};

const makeKeys = () => generateKeyPairSync('rsa', { modulusLength: 2048 });
/** Made once for all services of a test file: a key takes a tenth of a second. */
const keys = makeKeys();
const strange = makeKeys();

const bucket = 'moving-day';

/** Starts it with one bucket, `moving-day`. */
export async function startStorageService() {
  const objects = new Map<string, Buffer>();
  /** By its number. */
  const uploads: { readonly path: string; bytes: Buffer }[] = [];
  const requests: string[] = [];
  /** A number for each write of an object. */
  const generations = new WeakMap<Buffer, number>();
  let lastGeneration = 1_700_000_000_000_000;
  const generationOf = (bytes: Buffer) => {
    const known = generations.get(bytes) ?? ++lastGeneration;
    generations.set(bytes, known);
    return known;
  };
  let drops: number[] = [];
  let uploadRequests = 0;

  const accountOf = async ({ headers: { authorization = '' } }: IncomingMessage) => {
    const { payload } = await jwtVerify(authorization.replace('Bearer ', ''), keys.publicKey);
    return String(payload.iss).split('@')[0]!;
  };

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://storage');
    const asked = `${request.method} ${pathname}`;
    requests.push(asked);
    service.onRequest(`${asked}${searchParams.get('alt') === 'media' ? '?alt=media' : ''}`);
    const uploadId = searchParams.get('upload_id');
    if (uploadId !== null) return continueUpload(uploads[Number(uploadId)]!, request, response);
    const account = await accountOf(request).catch(() => undefined);
    if (account === undefined) return refuse(response, 401, 'Invalid Credentials');
    const [, named, path = ''] =
      /^\/(?:upload\/)?storage\/v1\/b\/([^/]+)\/o(?:\/(.+))?$/.exec(pathname) ?? [];
    if (named !== bucket) return refuse(response, 404, 'The specified bucket does not exist.');
    const isRead = request.method === 'GET';
    if (!rights[account]?.includes(isRead ? 'read' : 'write')) {
      return refuse(response, 403, `${account} does not have storage.objects access to the object.`);
    }
    if (isRead) return sendObject(decodeURIComponent(path), searchParams, response);
    const id = uploads.push({ path: searchParams.get('name') ?? '', bytes: Buffer.alloc(0) }) - 1;
    const location = `${endpoint}/upload/storage/v1/b/${bucket}/o?upload_id=${id}`;
    response.writeHead(200, { location }).end();
  };

  const sendObject = async (path: string, searchParams: URLSearchParams, response: ServerResponse) => {
    const bytes = objects.get(path);
    const asked = searchParams.get('generation');
    if (bytes === undefined || (asked !== null && Number(asked) !== generationOf(bytes))) {
      return refuse(response, 404, `No such object: ${bucket}/${path}`);
    }
    if (searchParams.get('alt') !== 'media') return sendMetadata({ path, bytes }, response);
    response.writeHead(200, {
      'content-type': 'application/json',
      'x-goog-hash': `crc32c=${await crc32c(bytes)}`,
      'x-goog-stored-content-encoding': 'identity',
    });
    response.end(bytes);
  };

  const continueUpload = async (
    upload: (typeof uploads)[number],
    request: IncomingMessage,
    response: ServerResponse,
  ) => {
    const range = request.headers['content-range'] ?? '';
    const [, start] = /^bytes (\d+)-/.exec(range) ?? [];
    const [, total] = /\/(\d+)$/.exec(range) ?? [];
    if (start !== undefined) {
      uploadRequests += 1;
      const blocks: Buffer[] = [upload.bytes.subarray(0, Number(start))];
      for await (const block of request) {
        if (drops.includes(uploadRequests)) return request.socket.destroy();
        blocks.push(block as Buffer);
      }
      upload.bytes = Buffer.concat(blocks);
    }
    const { path, bytes } = upload;
    if (bytes.length === Number(total)) {
      objects.set(path, bytes);
      return sendMetadata(upload, response);
    }
    response.writeHead(308, bytes.length === 0 ? {} : { range: `bytes=0-${bytes.length - 1}` }).end();
  };

  const sendMetadata = async (
    { bytes, path }: Pick<(typeof uploads)[number], 'bytes' | 'path'>,
    response: ServerResponse,
  ) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({
        name: path,
        bucket,
        generation: String(generationOf(bytes)),
        size: String(bytes.length),
        crc32c: await crc32c(bytes),
        md5Hash: createHash('md5').update(bytes).digest('base64'),
      }),
    );
  };

  const server = createServer((request, response) => {
    void answer(request, response).catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const service = {
    endpoint,
    /** The objects of the bucket, by path. */
    objects,
    /** Requests so far, as `METHOD path`. */
    requests,
    /** Called before each request is answered, with `METHOD path`; of a download, with `?alt=media`. */
    onRequest: (_request: string) => {},
    /** The service account's key file, as text; `'unknown'` signs with a key that the service does not know. */
    keyFile: (account: 'writer' | 'reader' | 'nobody' | 'unknown' = 'writer') => {
      const pair = account === 'unknown' ? strange : keys;
      return JSON.stringify({
        type: 'service_account',
        project_id: 'a-project',
        client_email: `${account}@a-project.iam.gserviceaccount.com`,
        private_key: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }),
      });
    },
    /** The connection of the n-th upload request from now on is cut half way; 1 is the next one. */
    dropUpload: (numbers: number[]) => {
      drops = numbers;
      uploadRequests = 0;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return service;
}

function refuse(response: ServerResponse, status: number, message: string) {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error: { code: status, message, errors: [{ message }] } }));
}

/** As the storage service writes it: base64 of the four bytes, most significant first. */
async function crc32c(bytes: Buffer) {
  const hasher = await createCRC32(0x82f63b78);
  return Buffer.from(hasher.init().update(bytes).digest('hex'), 'hex').toString('base64');
}
