/** Reads the flags for a bucket: the object and the access to it. */
import type { GcsFlags } from '../flags/imports.ts';
import { InputError, UsageError } from '../errors.ts';
import type { BucketJob } from '../flows/import/run.ts';
import { isReplaced, parseBucketObject, parseServiceAccount, writeObject } from '../storage/bucket.ts';
import { readText } from './read-text.ts';

type GcsTarget = NonNullable<ReturnType<typeof readGcsFlags>>;

/** Returns undefined without `--gcs`. Throws if the key cannot be read or is invalid. */
export function readGcsFlags({ gcs, gcsKey, gcsEndpoint }: GcsFlags, cwd: string) {
  if (gcs === undefined) return undefined;
  if (gcsKey === undefined) {
    throw new UsageError(
      '--gcs needs --gcs-key=<file>',
      'Give the key of a service account that may create and read objects in the bucket.',
    );
  }
  const object = parseBucketObject(gcs);
  const key = readText(gcsKey, cwd);
  return {
    object,
    access: { account: parseServiceAccount(key, gcsKey), endpoint: gcsEndpoint },
    /** Content of the key file in base64, as the service takes it. */
    serviceAccount: Buffer.from(key).toString('base64'),
  };
}

/** Returns what writes the object for an import, and checks that no other program has replaced it. */
export function bucketJob({ object, access, serviceAccount }: GcsTarget, signal: AbortSignal): BucketJob {
  const check = async (generation: string, hint: string) => {
    if (generation === '' || !(await isReplaced(object, access, Number(generation)))) return;
    throw new InputError(
      'input:changed',
      `gs://${object.bucket}/${object.path}`,
      'another program has replaced it',
      hint,
    );
  };
  return {
    source: { ...object, serviceAccount },
    upload: async (text) => {
      const generation = String((await writeObject(object, access, text, signal)) ?? '');
      await check(generation, 'Nothing was imported. Use a path to which no other program writes.');
      return generation;
    },
    check: (generation) =>
      check(generation, 'The service may have imported what that program wrote: look at the users there.'),
    stallSeconds: 60,
  };
}
