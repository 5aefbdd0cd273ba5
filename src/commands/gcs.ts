/** Reads the flags for a bucket: the object and the access to it. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { UsageError } from '../errors.ts';
import { parseServiceAccount, type BucketAccess, type BucketObject } from '../storage/bucket.ts';
import { parseBucketObject } from '../storage/bucket.ts';
import { inputProblem } from '../storage/input-problem.ts';

export interface GcsFlags {
  readonly gcs?: string;
  readonly gcsKey?: string;
  readonly gcsEndpoint?: string;
}

export interface GcsTarget {
  readonly object: BucketObject;
  readonly access: BucketAccess;
  /** The key file in base64, for the service. */
  readonly serviceAccount: string;
}

/** Undefined without `--gcs`. Throws for a key that cannot be read or is invalid. */
export function readGcsFlags({ gcs, gcsKey, gcsEndpoint }: GcsFlags, cwd: string): GcsTarget | undefined {
  if (gcs === undefined) return undefined;
  if (gcsKey === undefined) {
    throw new UsageError('--gcs needs --gcs-key <file>', {
      hint: 'It is the key of a service account that may create and read objects of the bucket.',
    });
  }
  const object = parseBucketObject('--gcs', gcs);
  const key = readKey(gcsKey, cwd);
  return {
    object,
    access: { account: parseServiceAccount(key), endpoint: gcsEndpoint },
    serviceAccount: Buffer.from(key).toString('base64'),
  };
}

function readKey(path: string, cwd: string): string {
  try {
    return readFileSync(resolve(cwd, path), 'utf8');
  } catch (error) {
    throw inputProblem(path, error, resolve(cwd, path));
  }
}
