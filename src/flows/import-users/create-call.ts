/** A person in, the call that creates them at the target, and what a refusal of it means, out. */
import type { ApiError } from '../../api/api-error.ts';
import type { Call } from '../../api/client.ts';
import type { ReasonCode } from '../../records/reasons.ts';
import type { MachineRecord, UserRecord } from '../../records/user.ts';
import { encodeImportRecord } from '../../targets/human-user.ts';

type Record = UserRecord | MachineRecord;

export interface Created {
  readonly userId: string;
}

export type CreateCall = Call<Created>;

/** `beforeSend` is called right before the request is sent. */
export function createCall(record: Record, org: string, body: string, beforeSend: () => void): CreateCall {
  const path =
    record.kind === 'machine' ? '/management/v1/users/machine' : '/management/v1/users/human/_import';
  return { method: 'POST', path, org, body, repeat: 'unsafe', answer: created, beforeSend };
}

/** Read by hand, because this runs once a person; anything without an id is no answer of the service. */
const created = {
  parse(value: unknown): Created {
    const { userId } = value as { userId?: unknown };
    if (typeof userId === 'string' && userId !== '') return { userId };
    throw new TypeError('there is no userId');
  },
};

/** What the call says that creates the person. */
export function bodyOf(record: Record): string {
  return record.kind === 'machine' ? encodeMachine(record) : encodeImportRecord(record);
}

function encodeMachine({ userName, name, description }: MachineRecord): string {
  return JSON.stringify({ userName, name, ...(description === '' ? {} : { description }) });
}

export const isTaken = ({ status }: ApiError): boolean => status === 409;

/** What is about this person alone; undefined for what would happen to everybody. */
export function refusalCode({ status, id, verdict }: ApiError): ReasonCode | undefined {
  if (verdict === 'too-large') return 'import:too-large';
  if (id?.startsWith('CRYPT-') === true) return 'import:hash-refused';
  return status === 400 || id === 'RECOVER' ? 'import:refused' : undefined;
}
