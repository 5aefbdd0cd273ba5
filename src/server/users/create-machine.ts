/** Creates a service user: the id is checked first, then the name. */
import type { ServerState } from '../context.ts';
import { refusal, requireStorable } from '../errors.ts';
import type { OrgRow, UserMore, UserRow } from '../store/rows.ts';
import { addUser } from './change.ts';
import { findById, findNameOwner, nameTaken } from './names.ts';

export interface NewMachine {
  /** '' or absent lets the server choose. */
  readonly userId?: string | undefined;
  readonly userName: string;
  readonly name: string;
  readonly description: string;
  readonly tokenType: NonNullable<UserMore['tokenType']>;
  readonly state?: 'inactive' | 'locked' | undefined;
}

export function createMachine(state: ServerState, org: OrgRow, editor: string, machine: NewMachine): UserRow {
  const { store } = state;
  const id = machine.userId || store.nextId();
  const before = findById(store, id);
  if (before?.kind === 'machine') throw refusal('COMMAND-k2una');
  const userName = machine.userName.trim();
  if (userName === '') throw refusal('COMMAND-bs9Ds');
  if (findNameOwner(store, org, userName) !== undefined) throw nameTaken();
  requireStorable(id, userName, machine.name, machine.description);
  // The id of a human: the service takes it and shows the human all the same.
  if (before !== undefined) return before;
  return addUser(state, {
    id,
    orgId: org.id,
    kind: 'machine',
    userName,
    status: machine.state ?? 'active',
    sequence: 1,
    editor,
    more: { name: machine.name, description: machine.description, tokenType: machine.tokenType },
  });
}
