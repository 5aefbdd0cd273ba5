/**
 * Computes how many bytes an element adds to an import request as protobuf, which is how the service counts.
 * `human-user.ts` measures what it writes with these functions; machines and metadata are rare and measured here whole.
 * `wire/import-size.ts` measures any body.
 */
import type { MachineRecord, UserRecord } from '../records/user.ts';

/** An element of `machineUsers`. */
export function measureMachineUser(machine: MachineRecord): number {
  const inner = text(machine.userName) + text(machine.name) + text(machine.description) + text(machine.id);
  return nested(text(machine.id) + nested(inner) + (machine.state === 'active' ? 0 : flag));
}

/** The elements of `userMetadata` of one record. */
export function measureMetadata({ id, metadata }: UserRecord | MachineRecord): number {
  let size = 0;
  for (const { key, value } of metadata) size += listTag + nested(text(id) + text(key) + text(value)) - 1;
  return size;
}

/** `userMetadata` has a field number above 15, which takes a second byte. */
const listTag = 2;

/** A string field of so many bytes with its tag and length; empty ones are not sent. */
export function textSize(bytes: number): number {
  return bytes === 0 ? 0 : nested(bytes);
}

function text(value: string): number {
  return textSize(Buffer.byteLength(value));
}

/** A true flag, or one of a few words. */
export const flag = 2;

/** A field of a message, or of bytes, with a tag of one byte. */
export function nested(content: number): number {
  return 1 + varint(content) + content;
}

function varint(value: number): number {
  if (value < 0x80) return 1;
  if (value < 0x4000) return 2;
  if (value < 0x200000) return 3;
  return value < 0x10000000 ? 4 : 5;
}
