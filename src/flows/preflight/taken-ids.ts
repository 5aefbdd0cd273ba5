/**
 * Finds the user ids that deleted organizations have left behind: no user has them, no look-up shows them, and the service
 * refuses them all the same. Only its events tell of them.
 */
import { TextMarks } from '../../compact/text-table.ts';
import type { Client } from '../../api/client.ts';
import type { Event } from '../../wire/event.ts';
import { idOf, listEvents, userAdded } from '../reconcile/event-log.ts';

/** In pages. Throws `ApiError`, also where the token may not read events. */
export async function* listTakenIds(client: Client): AsyncGenerator<readonly string[]> {
  for await (const orgs of listEvents(client, { eventTypes: ['org.removed'] })) {
    for (const org of orgs) yield* takenIn(client, idOf(org));
  }
}

async function* takenIn(client: Client, resourceOwner: string): AsyncGenerator<readonly string[]> {
  const seen = new TextMarks();
  const isNew = (event: Event): boolean => seen.add(idOf(event)) === -1;
  // The id of a user that was deleted before the organization is free.
  for await (const events of listEvents(client, { eventTypes: ['user.removed'], resourceOwner })) {
    events.forEach(isNew);
  }
  for await (const events of listEvents(client, { eventTypes: userAdded, resourceOwner })) {
    yield events.filter(isNew).map(idOf);
  }
}
