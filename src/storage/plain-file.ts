/** Opens a regular file for reading at any offset, if it holds plain bytes. */
import { closeSync, fstatSync } from 'node:fs';
import { inputChanged, type OpenFile } from '../lib/input.ts';
import { attempt, blocksOf, openRegularFile, readFully } from './file-blocks.ts';
import { headBytes, isStoredPlain } from './plain-bytes.ts';
import { isUnchanged, type FileFacts } from './same-file.ts';

/** `found` is what was found when the input was opened. Calls `onRead` with the offset up to which it has been read. */
export function openPlainFile(
  name: string,
  path: string,
  found: FileFacts,
  onRead: (bytes: number) => void,
): OpenFile | undefined {
  const descriptor = openRegularFile(name, path);
  const hasChanged = (): boolean =>
    !isUnchanged(
      found,
      attempt(name, () => fstatSync(descriptor, { bigint: true })),
    );
  const refuseChanged = (): void => {
    if (hasChanged()) throw inputChanged(name);
  };
  const read = (into: Uint8Array, offset: number): number => {
    const length = attempt(name, () => readFully(descriptor, into, offset));
    refuseChanged();
    return length;
  };
  const close = (): void => closeSync(descriptor);
  const head = new Uint8Array(headBytes);
  let isPlain = false;
  try {
    isPlain = !hasChanged() && isStoredPlain(head.subarray(0, read(head, 0)));
  } finally {
    if (!isPlain) close();
  }
  if (!isPlain) return undefined;
  return {
    descriptor,
    read,
    async *blocks(offset) {
      let at = offset;
      for await (const block of blocksOf(name, descriptor, offset, refuseChanged)) {
        at += block.length;
        onRead(at);
        yield block;
      }
    },
    pass: onRead,
    hasChanged,
    close,
  };
}
