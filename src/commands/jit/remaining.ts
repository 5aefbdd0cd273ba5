/** `idport jit remaining`: users of the list who have no password at the service yet, as CSV for a letter to them. */
import { resolve } from 'node:path';
import { ExitCode } from '../../errors.ts';
import { IdSet, readMigratedUsers } from '../../flows/jit/migrated-users.ts';
import { createLoginService, type ServiceUser } from '../../flows/jit/service.ts';
import { openUserList } from '../../flows/jit/user-list.ts';
import { quoteField } from '../../lib/csv.ts';
import { print } from '../../storage/stream-sink.ts';
import { connect, type ConnectionFlags } from '../connect.ts';
import type { Action } from '../context.ts';

export interface JitRemainingFlags extends ConnectionFlags {
  readonly users: string;
  readonly journal: string;
}

/** The service is asked about each user that the journal does not have. */
export const listRemaining: Action<JitRemainingFlags> = async (flags, context) => {
  const { cwd, stdout } = context;
  const list = await openUserList(resolve(cwd, flags.users), flags.users);
  const client = await connect(flags, context);
  try {
    const service = createLoginService(client);
    const done = new IdSet();
    await readMigratedUsers(resolve(cwd, flags.journal), ({ id }) => done.add(id));
    await print(stdout, encodeCsvRow(['id', 'user_name', 'email', 'state']));
    for await (const { id, userName } of list.all()) {
      if (id !== '' && done.has(id)) continue;
      const user = id === '' ? await service.findByLoginName(userName) : await service.findUser(id);
      if (user !== undefined && (done.has(user.id) || (await service.hasPassword(user.id)))) continue;
      const cells = [user?.id ?? id, user?.userName ?? userName, user?.email ?? '', stateOf(user)];
      await print(stdout, encodeCsvRow(cells));
    }
    return ExitCode.done;
  } finally {
    await client.close();
    await list.close();
  }
};

function encodeCsvRow(cells: readonly string[]): string {
  return `${cells.map(quoteField).join(',')}\n`;
}

function stateOf(user: ServiceUser | undefined): string {
  if (user === undefined) return 'not found';
  return user.isActive ? 'active' : 'not active';
}
