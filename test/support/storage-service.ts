/**
 * A storage service on a port of its own: Google's JSON interface with resumable uploads, and what can go wrong with
 * it.
 */
import { createHash, generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createCRC32 } from 'hash-wasm';
import { decodeProtectedHeader, importSPKI, jwtVerify } from 'jose';

interface Upload {
  readonly bucket: string;
  readonly path: string;
  bytes: Buffer;
}

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

/** Starts it with one bucket, `moving-day`. */
export async function startStorageService(bucket = 'moving-day') {
  const publicKey = await importSPKI(
    keys.publicKey.export({ type: 'spki', format: 'pem' }) as string,
    'RS256',
  );
  const objects = new Map<string, Buffer>();
  const uploads = new Map<string, Upload>();
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

  const accountOf = async (request: IncomingMessage) => {
    const token = request.headers.authorization?.replace('Bearer ', '') ?? '';
    try {
      decodeProtectedHeader(token);
      const { payload } = await jwtVerify(token, publicKey);
      return String(payload.iss).split('@')[0];
    } catch {
      return undefined;
    }
  };

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '/', 'http://storage');
    requests.push(`${request.method} ${url.pathname}`);
    const isDownload = url.searchParams.get('alt') === 'media';
    service.onRequest(`${request.method} ${url.pathname}${isDownload ? '?alt=media' : ''}`);
    const uploadId = url.searchParams.get('upload_id');
    if (uploadId !== null) {
      await continueUpload(uploadId, request, response);
      return;
    }
    const account = await accountOf(request);
    if (account === undefined) {
      refuse(response, 401, 'Invalid Credentials');
      return;
    }
    const parts = url.pathname.match(/^\/(?:upload\/)?storage\/v1\/b\/([^/]+)\/o(?:\/(.+))?$/);
    if (parts?.[1] !== bucket) {
      refuse(response, 404, 'The specified bucket does not exist.');
      return;
    }
    const right = request.method === 'GET' ? 'read' : 'write';
    if (!rights[account]?.includes(right)) {
      refuse(response, 403, `${account} does not have storage.objects access to the object.`);
      return;
    }
    const path = decodeURIComponent(parts[2] ?? '');
    if (request.method === 'GET') await sendObject(path, url, response);
    else startUpload(url, response);
  };

  const sendObject = async (path: string, { searchParams }: URL, response: ServerResponse) => {
    const bytes = objects.get(path);
    const asked = searchParams.get('generation');
    if (bytes === undefined || (asked !== null && Number(asked) !== generationOf(bytes))) {
      refuse(response, 404, `No such object: ${bucket}/${path}`);
      return;
    }
    if (searchParams.get('alt') !== 'media') {
      await sendMetadata({ path, bytes }, response);
      return;
    }
    response.writeHead(200, {
      'content-type': 'application/json',
      'x-goog-hash': `crc32c=${await crc32c(bytes)}`,
      'x-goog-stored-content-encoding': 'identity',
    });
    response.end(bytes);
  };

  const startUpload = (url: URL, response: ServerResponse) => {
    const id = `upload-${uploads.size + 1}`;
    uploads.set(id, { bucket, path: url.searchParams.get('name') ?? '', bytes: Buffer.alloc(0) });
    response.writeHead(200, { location: `${endpoint()}/upload/storage/v1/b/${bucket}/o?upload_id=${id}` });
    response.end();
  };

  const continueUpload = async (id: string, request: IncomingMessage, response: ServerResponse) => {
    const upload = uploads.get(id)!;
    const range = request.headers['content-range'] ?? '';
    const start = Number(/^bytes (\d+)-/.exec(range)?.[1] ?? Number.NaN);
    const total = Number(/\/(\d+)$/.exec(range)?.[1] ?? Number.NaN);
    if (!Number.isNaN(start)) uploadRequests += 1;
    const dropped = !Number.isNaN(start) && drops.includes(uploadRequests);
    const blocks: Buffer[] = [];
    for await (const block of request) {
      blocks.push(block as Buffer);
      if (dropped) {
        request.socket.destroy();
        return;
      }
    }
    if (!Number.isNaN(start)) {
      upload.bytes = Buffer.concat([upload.bytes.subarray(0, start), ...blocks]);
    }
    if (upload.bytes.length === total || /bytes \*\/0/.test(range)) {
      objects.set(upload.path, upload.bytes);
      await sendMetadata(upload, response);
      return;
    }
    const received = upload.bytes.length === 0 ? {} : { range: `bytes=0-${upload.bytes.length - 1}` };
    response.writeHead(308, received).end();
  };

  const sendMetadata = async ({ bytes, path }: Pick<Upload, 'bytes' | 'path'>, response: ServerResponse) => {
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
  const endpoint = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const service = {
    endpoint: endpoint(),
    /** What stands in the bucket, by path. */
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
