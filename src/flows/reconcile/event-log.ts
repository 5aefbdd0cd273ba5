/**
 * Reads the service's event log. Lists lag behind it and lose users for good under load. The log has who was created and who was
 * deleted. A token needs events.read for it.
 */
import { isRefusal } from '../../api/api-error.ts';
import { search, callIfAllowed, type Client } from '../../api/client.ts';
import { listEventsResponse, type Event, type ListEventsInput } from '../../wire/event.ts';
import type { FoundUser } from './find-users.ts';
import { parseTime } from '../../lib/clock.ts';
import { firstText, objectOf } from '../../lib/json-value.ts';

const path = '/admin/v1/events/_search';
/** Most events that the service returns at once. */
const pageSize = 1000;

/** Events of a new user, including those that older versions of the service wrote. */
export const userAdded = [
  'user.human.added',
  'user.human.selfregistered',
  'user.machine.added',
  'user.added',
  'user.selfregistered',
];
const userRemoved = 'user.removed';

export const idOf = ({ aggregate }: Event) => aggregate?.id ?? '';

/** Returns when such an event was last written: -Infinity for never, undefined if the token may not read the log. */
export async function readLastEvent(client: Client, query: ListEventsInput) {
  const events = await readEvents(client, { ...query, limit: 1 });
  const [last] = events ?? [];
  return last === undefined ? events && -Infinity : parseTime(last.creationDate);
}

/** Returns when a user was last added to the instance, in the same way. */
export async function readLastAdded(client: Client) {
  return readLastEvent(client, { aggregateTypes: ['user'], eventTypes: userAdded });
}

/** Returns undefined if the token may not read the log. */
async function readEvents(client: Client, body: ListEventsInput) {
  return (await callIfAllowed(client, search(path, body, listEventsResponse)))?.events;
}

/**
 * Yields events in pages, oldest first. Pages overlap by a millisecond, so that no event of the same moment is lost in between.
 * Throws `ApiError`, also if the token may not read the log.
 */
export async function* listEvents(client: Client, query: ListEventsInput): AsyncGenerator<readonly Event[]> {
  let from: string | undefined;
  for (;;) {
    const body = { ...query, asc: true, limit: pageSize, from };
    const { events } = await client.call(search(path, body, listEventsResponse));
    if (events.length > 0) yield events;
    const last = events.at(-1)?.creationDate ?? '';
    if (events.length < pageSize || last === '') return;
    const before = new Date(Date.parse(last) - 1).toISOString();
    const next = from === undefined || before > from ? before : last;
    if (from !== undefined && next <= from) return;
    from = next;
  }
}

/** Passes on all events, oldest first. Returns false if the token may not read the log. */
export async function forEachEvent(
  client: Client,
  query: Parameters<typeof listEvents>[1],
  take: (event: Event) => void,
) {
  try {
    for await (const events of listEvents(client, query)) events.forEach(take);
    return true;
  } catch (error) {
    if (isRefusal(error)) return false;
    throw error;
  }
}

/**
 * Returns the user names by id of an organization's sought users who were created and not deleted. Undefined if the token may not
 * read the log.
 */
export async function listLoggedUsers(
  client: Client,
  resourceOwner: string,
  isSought: (id: string, userName: string) => boolean = () => true,
) {
  const users = new Map<string, string>();
  const query = { eventTypes: [...userAdded, userRemoved], resourceOwner };
  const isReadable = await forEachEvent(client, query, (event) => {
    const [id, userName] = [idOf(event), textOf(event, 'userName')];
    if (typeOf(event) === userRemoved) users.delete(id);
    else if (isSought(id, userName)) users.set(id, userName);
  });
  return isReadable ? users : undefined;
}

/** Reports whether the log says that a user was deleted after this creation, in milliseconds. Lists may show deleted users. */
export type IsRemoved = (id: string, createdAt: number) => boolean;

/** Reads deletions. Without access to the log, no user counts as removed. */
export async function readRemovals(client: Client, orgs: readonly string[]): Promise<IsRemoved> {
  const last = new Map<string, number>();
  for (const resourceOwner of orgs) {
    await forEachEvent(client, { eventTypes: [userRemoved], resourceOwner }, (event) => {
      last.set(idOf(event), Date.parse(event.creationDate));
    });
  }
  return (id, createdAt) => (last.get(id) ?? -Infinity) >= createdAt;
}

/** Reads the first events of a user, oldest first. Undefined if the token may not read the log. */
const readEventsOf = (client: Client, id: string) =>
  readEvents(client, { aggregateId: id, aggregateTypes: ['user'], asc: true, limit: pageSize });

/** Reads a user from the log alone. Undefined if the user does not exist or the token may not read the log. */
export async function readLoggedUser(client: Client, id: string) {
  let user: FoundUser | undefined;
  for (const event of (await readEventsOf(client, id)) ?? []) {
    const [type, at] = [typeOf(event), Date.parse(event.creationDate)];
    if (userAdded.includes(type)) {
      const names = { userName: textOf(event, 'userName'), email: textOf(event, 'email') };
      user = { id, org: event.aggregate?.resourceOwner ?? '', ...names, createdAt: at, changedAt: at };
    } else if (type === userRemoved) {
      user = undefined;
    } else if (user !== undefined && !leavesUser.test(type)) {
      user = { ...user, userName: textOf(event, 'userName') || user.userName, changedAt: at };
    }
  }
  return user;
}

/** Reads a user's metadata, in base64, from the log alone. Undefined if the token may not read the log. */
export async function readLoggedMetadata(client: Client, id: string) {
  const events = await readEventsOf(client, id);
  const metadata = new Map<string, string>();
  for (const event of events ?? []) {
    const key = textOf(event, 'key');
    const type = typeOf(event);
    if (type === 'user.metadata.set') metadata.set(key, textOf(event, 'value'));
    else if (type === 'user.metadata.removed') metadata.delete(key);
    else if (type === 'user.metadata.removed.all') metadata.clear();
  }
  return events && metadata;
}

/** Events that do not change the date of a user: what a run writes besides the user, sign-ins, and messages sent. */
const leavesUser = /\.(?:metadata|externalidp|token|pat|check|sent|signed)\b/;

const typeOf = ({ type }: Event) => type?.type ?? '';

const textOf = ({ payload }: Event, name: string) => firstText(objectOf(payload), name);
