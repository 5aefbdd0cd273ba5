/** Where a detached import finds its file in, the file's bytes out: a bucket, or this machine's own disk. */
import { readFile } from 'node:fs/promises';
import { parseServiceAccount, readObject } from '../storage/bucket.ts';
import type { ReadObject } from './settings.ts';

/** `endpoint` stands in for Google's. What cannot be read throws; the service says so in its log only. */
export function createReadObject(endpoint: string | undefined): ReadObject {
  return async (source) => {
    if (source.kind === 'local') return readFile(source.path);
    if (source.kind === 's3')
      throw new Error(`s3://${source.bucket}/${source.path}: S3 is not supported here`);
    const account = parseServiceAccount(source.serviceAccount);
    const blocks: Uint8Array[] = [];
    for await (const block of readObject(source, { account, endpoint })) blocks.push(block);
    return Buffer.concat(blocks);
  };
}
