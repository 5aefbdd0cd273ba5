/** Where a record has no id: a name in, always the same id for it out, so that every run over an export agrees. */
import { createHash } from 'node:crypto';

/** A UUID of version 5 over the realm (or what is like one) and the user name, whose case does not matter. */
export function deriveId(realm: string, userName: string): string {
  const bytes = createHash('sha1')
    .update(namespace)
    .update(`${realm}\0${userName.toLowerCase()}`)
    .digest()
    .subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Drawn once for this purpose; changing it would change every derived id. */
const namespace = Buffer.from('6f0d9a5ce3b14d8f9b1e5f2a7c40d311', 'hex');
