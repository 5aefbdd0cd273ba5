/** Reads one line of the multi-factor export that Auth0's support sends: one factor of a user. */
import { isObject } from '../../../lib/json-value.ts';

export interface MfaLine {
  readonly userId: string;
  readonly kind: 'otp' | 'recovery-code' | 'other';
  /** The base32 secret or the hash of the recovery code, secret; for other kinds the name of the factor. */
  readonly value: string;
}

/** Undefined for what is no line of this export. */
function readMfaLine(value: unknown): MfaLine | undefined {
  if (!isObject(value)) return undefined;
  const userId = value['user_id'];
  const type = value['type'];
  if (typeof userId !== 'string' || userId === '' || typeof type !== 'string' || type === '')
    return undefined;
  const field = kinds.get(type.toLowerCase());
  if (field === undefined) return { userId, kind: 'other', value: type };
  const secret = value[field.name];
  return { userId, kind: field.kind, value: typeof secret === 'string' ? secret : '' };
}

const kinds = new Map<string, { kind: 'otp' | 'recovery-code'; name: string }>([
  ['otp', { kind: 'otp', name: 'otp_secret' }],
  ['totp', { kind: 'otp', name: 'otp_secret' }],
  ['recovery-code', { kind: 'recovery-code', name: 'recovery_code' }],
]);

/** The lines of one batch; undefined for what is none. */
export class MfaLines {
  lines: (MfaLine | undefined)[] = [];

  clear(): void {
    this.lines = [];
  }

  add(record: unknown): void {
    this.lines.push(readMfaLine(record));
  }
}
