/** `gs://bucket/path` in, its parts out. */
import { UsageError } from '../errors.ts';
import type { BucketObject } from './bucket.ts';

/** Throws `UsageError` for anything else. */
export function parseBucketObject(flag: string, text: string): BucketObject {
  const found = /^gs:\/\/([^/]+)\/(.+)$/.exec(text);
  const [, bucket, path] = found ?? [];
  if (bucket !== undefined && path !== undefined) return { bucket, path };
  throw new UsageError(`${flag} ${text} is not an object in a bucket`, {
    hint: 'Write it like gs://bucket/folder/file.json',
  });
}
