/** Users whom the lists of the service have lost, as they do under load: its log of events still has them. */
import type { Client } from '../../api/client.ts';
import { type Emit, warning } from '../../events.ts';
import { formatCounted } from '../../lib/quantity.ts';
import { foldName } from '../../records/text.ts';
import { listLoggedUsers } from '../reconcile/event-log.ts';

/** `id 4711`, and `name ann` as names are compared. */
export type Logged = ReadonlySet<string>;

/** No user where the token may not read the log: then the lists have the last word. */
export async function readLogged(client: Client, orgs: readonly string[]): Promise<Logged> {
  const logged = new Set<string>();
  for (const org of orgs) {
    for (const [id, userName] of (await listLoggedUsers(client, org)) ?? [])
      logged.add(`id ${id}`).add(`name ${foldName(userName)}`);
  }
  return logged;
}

/** By name as well: the one-by-one import gives users new ids. */
export const isLogged = (logged: Logged, id: string, userName: string): boolean =>
  logged.has(`id ${id}`) || logged.has(`name ${foldName(userName)}`);

const remedy = 'Restart the projection of that list, then run verify again';

export const notListed = `written, but missing in the service's list. ${remedy}`;

export function warnOfUnlisted(users: number, emit: Emit): void {
  const text =
    `${formatCounted(users, 'user is', 'users are')} in the service's log of events and missing in its list, where the ` +
    `service has lost them. Importing them again would be refused. ${remedy}.`;
  emit(warning('verify:unlisted', text));
}
