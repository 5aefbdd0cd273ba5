/** `idport jit remaining`: lists the users of the list who do not have their own password at the service yet. */
import { ExitCode } from '../../errors.ts';
import { hasOwnPassword, requireIds, findUserOf } from '../../flows/jit/listed-users.ts';
import { createLoginService, type ServiceUser } from '../../flows/jit/service.ts';
import { quoteField } from '../../lib/csv.ts';
import { formatCount, formatCounted } from '../../lib/format.ts';
import { print, printLine } from '../../storage/stream-sink.ts';
import { connect } from '../connect.ts';
import type { JitRemainingFlags } from '../../flags/jit.ts';
import type { Action } from '../context.ts';
import { openList } from './verifiers.ts';
import { readAllMigrated } from './shared-state.ts';

/** Asks the service about each user who is neither in the journal nor in the shared state. */
export const listRemaining: Action<JitRemainingFlags> = async (flags, context) => {
  const { stdout } = context;
  const list = await openList(flags.users, flags.idMap, context);
  const client = await connect(flags, context);
  const service = createLoginService(client);
  await requireIds(list, service);
  const done = await readAllMigrated(flags, { client, service }, context);
  if (flags.csv) await print(stdout, encodeCsvRow(['id', 'user_name', 'email', 'state']));
  let remaining = 0;
  for await (const listed of list.all()) {
    const { id, userName } = listed;
    if (id !== '' && done.has(id)) continue;
    const user = await findUserOf(listed, service);
    if (user !== undefined && (done.has(user.id) || (await hasOwnPassword(user.id, listed, service))))
      continue;
    remaining++;
    const cells = [user?.id ?? id, user?.userName ?? userName, user?.email ?? '', stateOf(user)];
    if (flags.csv) await print(stdout, encodeCsvRow(cells));
    else await printLine(stdout, cells.filter((cell) => cell !== '').join('  '));
  }
  if (!flags.csv) {
    await printLine(
      stdout,
      `${formatCount(remaining)} of ${formatCounted(list.size, 'user')} without a password of their own`,
    );
  }
  return ExitCode.done;
};

function encodeCsvRow(cells: readonly string[]) {
  return `${cells.map(quoteField).join(',')}\n`;
}

function stateOf(user: ServiceUser | undefined) {
  if (user === undefined) return 'not found';
  return user.isActive ? 'active' : 'not active';
}
