/** Opens a regular file for reading at any offset, if it holds plain bytes. */
import { closeSync, fstatSync, type Stats } from 'node:fs';
import type { OpenFile } from '../lib/input.ts';
import { attempt, blocksOf, openRegularFile, readFully } from './file-blocks.ts';
import { headBytes, isStoredPlain } from './plain-bytes.ts';

/** `found` is the earlier `stat` of the file. Calls `onRead` with the offset up to which it has been read. */
export function openPlainFile(
  name: string,
  path: string,
  found: Stats,
  onRead: (bytes: number) => void,
): OpenFile | undefined {
  const descriptor = openRegularFile(name, path);
  const read = (into: Uint8Array, offset: number): number =>
    attempt(name, () => readFully(descriptor, into, offset));
  const close = (): void => closeSync(descriptor);
  const hasChanged = (): boolean =>
    !isSame(
      found,
      attempt(name, () => fstatSync(descriptor)),
    );
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
      for await (const block of blocksOf(name, descriptor, offset)) {
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

function isSame(one: Stats, other: Stats): boolean {
  return (['dev', 'ino', 'size', 'mtimeMs'] as const).every((fact) => one[fact] === other[fact]);
}
