/**
 * A record in, the bytes that its element adds to an import request as protobuf out, which is how the service counts.
 * The mirror of `human-user.ts`: it must know every field that is written there. `wire/import-size.ts` measures any
 * body; this one runs once a person and builds nothing.
 */
import type { MachineRecord, UserRecord } from '../records/user.ts';

/** The bytes that a text has as UTF-8. */
type Length = (text: string) => number;

const utf8Length: Length = (value) => Buffer.byteLength(value);
const asciiLength: Length = (value) => value.length;

/** An element of `humanUsers`. `ascii`: all of its texts are known to be, which saves counting them. */
export function measureHumanUser(user: UserRecord, ascii = false): number {
  const length = ascii ? asciiLength : utf8Length;
  const state = user.state === 'active' ? 0 : 2;
  return nested(text(user.id, length) + nested(measureImportRecord(user, length)) + state);
}

/** The body of a single import. */
export function measureImportRecord(user: UserRecord, length: Length = utf8Length): number {
  const profile =
    text(user.givenName, length) +
    text(user.familyName, length) +
    text(user.nickName, length) +
    text(user.displayName, length) +
    text(user.language, length) +
    (user.gender === 'unspecified' ? 0 : 2);
  const email = text(user.email, length) + (user.emailVerified ? 2 : 0);
  let size = text(user.userName, length) + nested(profile) + nested(email);
  if (user.phone !== '') size += nested(text(user.phone, length) + (user.phoneVerified ? 2 : 0));
  if (user.passwordHash !== '') size += nested(text(user.passwordHash, length));
  size += text(user.otpSecret, length);
  for (const { configId, externalUserId, displayName } of user.links) {
    size += nested(text(configId, length) + text(externalUserId, length) + text(displayName, length));
  }
  for (const hash of user.recoveryCodeHashes) size += nested(text(hash, length));
  return size;
}

/** An element of `machineUsers`. */
export function measureMachineUser(machine: MachineRecord): number {
  const inner = text(machine.userName) + text(machine.name) + text(machine.description) + text(machine.id);
  return nested(text(machine.id) + nested(inner) + (machine.state === 'active' ? 0 : 2));
}

/** The elements of `userMetadata` of one record. */
export function measureMetadata({ id, metadata }: UserRecord | MachineRecord): number {
  let size = 0;
  for (const { key, value } of metadata) size += listTag + nested(text(id) + text(key) + text(value)) - 1;
  return size;
}

/** `userMetadata` has a field number above 15, which takes a second byte. */
const listTag = 2;

/** A string field with its tag and length; empty ones are not sent. */
function text(value: string, length: Length = utf8Length): number {
  return value === '' ? 0 : nested(length(value));
}

/** A field of a message, or of bytes, with a tag of one byte. */
function nested(content: number): number {
  return 1 + varint(content) + content;
}

function varint(value: number): number {
  if (value < 0x80) return 1;
  if (value < 0x4000) return 2;
  if (value < 0x200000) return 3;
  return value < 0x10000000 ? 4 : 5;
}
