/** Reads and writes objects in Google Cloud Storage. This is the only file that knows Google's storage client. */
import { pipeline } from 'node:stream/promises';
import type { StorageOptions } from '@google-cloud/storage';
import { IdportError, UsageError } from '../errors.ts';
import { inputChanged } from '../lib/input.ts';
import { firstText, objectOf } from '../lib/json-value.ts';
import { importOptional } from '../lib/optional-package.ts';

/** Fields of a service account file that are used. */
export interface ServiceAccount {
  readonly clientEmail: string;
  readonly privateKey: string;
  readonly projectId: string | undefined;
}

export interface BucketAccess {
  /** By default, the credentials of the machine, as Google's tools find them. */
  readonly account?: ServiceAccount;
  /** Address of another service with the same API, for example `http://127.0.0.1:9000`. */
  readonly endpoint?: string | undefined;
  /** How often a failed request is tried again, and the longest wait in seconds. */
  readonly retry?: { readonly times: number; readonly longestWait: number };
}

export interface BucketObject {
  readonly bucket: string;
  readonly path: string;
}

/** Reads `gs://bucket/path`. Throws `UsageError` for anything else. */
export function parseBucketObject(text: string): BucketObject {
  const found = /^gs:\/\/([^/]+)\/(.+)$/.exec(text);
  const [, bucket, path] = found ?? [];
  if (bucket !== undefined && path !== undefined) return { bucket, path };
  throw new UsageError(
    `--gcs ${text} is not an object in a bucket`,
    'Write it like gs://bucket/folder/file.json',
  );
}

/** Uploads are sent in pieces of this size. A dropped connection costs at most one piece. */
const pieceSize = 8 * 1024 * 1024;

/**
 * `text` is the JSON of the key file, or its base64 as the service expects it. Throws `storage:bad-key` without any of its
 * contents.
 */
export function parseServiceAccount(text: string, name = 'service account'): ServiceAccount {
  const plain = text.trimStart().startsWith('{') ? text : Buffer.from(text, 'base64').toString();
  let found: Record<string, unknown>;
  try {
    found = JSON.parse(plain) as Record<string, unknown>;
  } catch {
    throw badKey(`${name}: it is neither JSON nor base64 of JSON`);
  }
  const { client_email: clientEmail, private_key: privateKey, project_id: projectId } = found ?? {};
  if (typeof clientEmail !== 'string' || typeof privateKey !== 'string') {
    throw badKey(`${name}: it has no client_email or no private_key`);
  }
  return { clientEmail, privateKey, projectId: typeof projectId === 'string' ? projectId : undefined };
}

/**
 * Yields the object's bytes, checked against its CRC32C and all of one generation. While it is read, throws an IdportError with
 * code `package:missing`, `storage:no-bucket`, `storage:no-object`, `storage:bad-key`, `storage:no-permission`,
 * `storage:unreachable` or `storage:interrupted`, and `input:changed` if the object was replaced in the meantime.
 */
export async function* readObject(object: BucketObject, access: BucketAccess) {
  const generation = await findGeneration(object, access);
  const file = await openFile(object, access, generation);
  const stream = file.createReadStream({ decompress: false });
  try {
    for await (const block of stream) yield block as Uint8Array;
  } catch (cause) {
    const error = describe(cause, object, 'read');
    throw generation !== undefined && isMissing(error) ? inputChanged(nameOf(object)) : error;
  } finally {
    stream.destroy();
  }
  if (await isReplaced(object, access, generation)) throw inputChanged(nameOf(object));
}

/**
 * Writes or replaces the object, which appears only after the last byte has arrived with the right CRC32C. Returns its
 * generation, if the service has generations. Throws the same errors as `readObject`.
 */
export async function writeObject(
  object: BucketObject,
  access: BucketAccess,
  source: AsyncIterable<Uint8Array | string>,
  signal?: AbortSignal,
) {
  const file = await openFile(object, access);
  const metadata = { contentType: 'application/json' };
  try {
    // `createWriteStream` would open it without the credentials for other endpoints.
    const [uri] = await file.createResumableUpload({ metadata });
    const target = file.createWriteStream({ uri, offset: 0, metadata, chunkSize: pieceSize });
    await pipeline(source, target, signal === undefined ? {} : { signal });
  } catch (cause) {
    signal?.throwIfAborted();
    throw describe(cause, object, 'write');
  }
  return toGeneration(file.metadata.generation);
}

/** Reports whether another program has replaced the object since. A deleted object was not replaced. */
export async function isReplaced(object: BucketObject, access: BucketAccess, known: number | undefined) {
  if (known === undefined) return false;
  try {
    return (await findGeneration(object, access)) !== known;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Returns the generation of an object, a number that each write changes. Undefined if another service with this API has none. */
async function findGeneration(object: BucketObject, access: BucketAccess) {
  const file = await openFile(object, access);
  try {
    const [metadata] = await file.getMetadata();
    return toGeneration(metadata.generation);
  } catch (cause) {
    throw describe(cause, object, 'read');
  }
}

function toGeneration(value: unknown) {
  const found = Number(value ?? Number.NaN);
  return Number.isSafeInteger(found) && found > 0 ? found : undefined;
}

const isMissing = (error: unknown) => error instanceof IdportError && error.code === 'storage:no-object';

/** With `generation`, opens only that generation. */
async function openFile(object: BucketObject, access: BucketAccess, generation?: number) {
  const { IdempotencyStrategy, Storage } = await importOptional(
    '@google-cloud/storage@7',
    'buckets',
    () => import('@google-cloud/storage'),
  );
  const { account, endpoint, retry = { times: 5, longestWait: 32 } } = access;
  const options: StorageOptions = {
    // Writing the same bytes twice is harmless here, so every request may be tried again.
    retryOptions: {
      idempotencyStrategy: IdempotencyStrategy.RetryAlways,
      autoRetry: retry.times > 0,
      maxRetries: retry.times,
      maxRetryDelay: retry.longestWait,
    },
  };
  if (endpoint !== undefined) {
    options.apiEndpoint = endpoint;
    options.useAuthWithCustomEndpoint = account !== undefined;
  }
  if (account !== undefined) {
    options.credentials = { client_email: account.clientEmail, private_key: account.privateKey };
    options.projectId = account.projectId ?? 'unknown';
  }
  const storage = new Storage(options);
  // The key signs each token itself, so no token endpoint has to be reachable, and other endpoints work as well.
  if (account !== undefined) storage.authClient.useJWTAccessWithScope = true;
  return storage.bucket(object.bucket).file(object.path, generation === undefined ? {} : { generation });
}

const nameOf = ({ bucket, path }: BucketObject) => `gs://${bucket}/${path}`;

function describe(cause: unknown, object: BucketObject, verb: 'read' | 'write') {
  // The source of an upload has its own errors.
  if (cause instanceof IdportError) return cause;
  const error = objectOf(cause);
  const response = objectOf(error['response']);
  const status = Number(response['status'] ?? error['status'] ?? error['code']);
  const where = nameOf(object);
  const text = `${firstText(error, 'message')} ${JSON.stringify(response['data'] ?? '')}`;
  // Names of objects and buckets may contain the word as well. A write needs no object.
  if (status === 404 && (verb === 'write' || /bucket does not exist/i.test(text))) {
    return new IdportError(
      'storage:no-bucket',
      `${where}: the bucket does not exist`,
      'Check the bucket name and the project of the service account.',
    );
  }
  if (status === 404) return new IdportError('storage:no-object', `${where}: there is no such object`);
  if (status === 403) {
    const role = verb === 'read' ? 'storage.objects.get' : 'storage.objects.create';
    return new IdportError(
      'storage:no-permission',
      `${where}: the service account may not ${verb} there`,
      `Give it the permission ${role} on the bucket.`,
    );
  }
  if (status === 401 || /DECODER|PEM|invalid_grant|asymmetric key|unsupported/i.test(text))
    return badKey(`${where}: the storage service does not accept the key of the service account`);
  if (/ECONNREFUSED|ENOTFOUND|EAI_AGAIN/.test(text)) {
    return new IdportError(
      'storage:unreachable',
      `${where}: the storage service cannot be reached`,
      undefined,
      cause,
    );
  }
  return new IdportError(
    'storage:interrupted',
    `${where}: could not ${verb} it to the end`,
    'Nothing was replaced. Try again; if it happens again, check the network and the storage service.',
    cause,
  );
}

function badKey(problem: string) {
  return new IdportError(
    'storage:bad-key',
    problem,
    'Download a new JSON key of the service account and give that file.',
  );
}
