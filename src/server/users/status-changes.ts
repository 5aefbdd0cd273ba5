/** The calls that change the status of a user, and when both versions of the interface refuse them. */
import { refusal } from '../errors.ts';
import type { UserStatus } from '../store/rows.ts';
import type { ServiceErrorId } from '../../wire/service-errors.ts';

/** Error ids: without such a user, and where the status of the user does not fit. */
interface ErrorIds {
  readonly missing: ServiceErrorId;
  readonly status: ServiceErrorId;
}

export interface StatusChange {
  readonly rpc: string;
  /** Last part of the path; version 1 has an underscore before it. */
  readonly path: string;
  readonly from: readonly UserStatus[];
  readonly to: UserStatus;
  readonly v1: ErrorIds;
  readonly v2: ErrorIds;
}

export const statusChanges: readonly StatusChange[] = [
  {
    rpc: 'DeactivateUser',
    path: 'deactivate',
    from: ['active', 'locked'],
    to: 'inactive',
    v1: { missing: 'COMMAND-3M9ds', status: 'COMMAND-5M0sf' },
    v2: { missing: 'COMMAND-5gp2p62iin', status: 'COMMAND-5gunjw0cd7' },
  },
  {
    rpc: 'ReactivateUser',
    path: 'reactivate',
    from: ['inactive'],
    to: 'active',
    v1: { missing: 'COMMAND-4M0sd', status: 'COMMAND-6M0sf' },
    v2: { missing: 'COMMAND-9hy5kzbuk6', status: 'COMMAND-s5qqcz97hf' },
  },
  {
    rpc: 'LockUser',
    path: 'lock',
    from: ['active', 'initial'],
    to: 'locked',
    v1: { missing: 'COMMAND-5M9fs', status: 'COMMAND-3NN8v' },
    v2: { missing: 'COMMAND-450yxuqrh1', status: 'COMMAND-lgws8wtsqf' },
  },
  {
    rpc: 'UnlockUser',
    path: 'unlock',
    from: ['locked'],
    to: 'active',
    v1: { missing: 'COMMAND-M0dos', status: 'COMMAND-4M0ds' },
    v2: { missing: 'COMMAND-x377t913pw', status: 'COMMAND-olb9vb0oca' },
  },
];

/** Throws where the status does not fit. */
export function checkStatus(change: StatusChange, version: 'v1' | 'v2', status: UserStatus): void {
  if (change.from.includes(status)) return;
  if (status === 'initial' && change.to === 'inactive') {
    throw refusal(version === 'v1' ? 'COMMAND-ke0fw' : 'COMMAND-gvx4kct9r2');
  }
  throw refusal(change[version].status);
}
