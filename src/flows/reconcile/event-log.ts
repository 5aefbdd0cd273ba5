/**
 * What the service's log of events says. Lists lag behind it, and lose users for good under load: the log has who was created
 * and who was deleted. A token needs events.read for it.
 */
import { isRefusal } from '../../api/api-error.ts';
import { search, callIfAllowed, type Client } from '../../api/client.ts';
import { listEventsResponse, type Event, type ListEventsInput } from '../../wire/event.ts';
import type { FoundUser } from './find-users.ts';
import { parseTime } from '../../lib/clock.ts';

const path = '/admin/v1/events/_search';
/** The service gives no more at once. */
const pageSize = 1000;

/** Events of a new user, also as older versions of the service wrote them. */
export const userAdded = [
  'user.human.added',
  'user.human.selfregistered',
  'user.machine.added',
  'user.added',
  'user.selfregistered',
];
const userRemoved = 'user.removed';

export const idOf = ({ aggregate }: Event): string => aggregate?.id ?? '';

/** When such an event was last written: -Infinity for never, undefined where the token may not read the log. */
export async function readLastEvent(client: Client, query: ListEventsInput): Promise<number | undefined> {
  const events = await readEvents(client, { ...query, limit: 1 });
  const [last] = events ?? [];
  return last === undefined ? events && -Infinity : parseTime(last.creationDate);
}

/** When a user was last added to the instance; as above. */
export async function readLastAdded(client: Client): Promise<number | undefined> {
  return readLastEvent(client, { aggregateTypes: ['user'], eventTypes: userAdded });
}

/** Undefined where the token may not read the log. */
async function readEvents(client: Client, body: ListEventsInput): Promise<Event[] | undefined> {
  return (await callIfAllowed(client, search(path, body, listEventsResponse)))?.events;
}

/**
 * In pages, oldest first; these overlap by a millisecond, so that events of one moment are not lost between two of them.
 * Throws `ApiError`, also where the token may not read the log.
 */
export async function* listEvents(client: Client, query: ListEventsInput): AsyncGenerator<readonly Event[]> {
  let from = '';
  for (;;) {
    const { events } = await client.call(
      search(
        path,
        { ...query, asc: true, limit: pageSize, ...(from === '' ? {} : { from }) },
        listEventsResponse,
      ),
    );
    if (events.length > 0) yield events;
    const last = events.at(-1)?.creationDate ?? '';
    if (events.length < pageSize || last === '') return;
    const before = new Date(Date.parse(last) - 1).toISOString();
    const next = before > from ? before : last;
    if (next <= from) return;
    from = next;
  }
}

/** All of them, in the same order; false where the token may not read the log. */
export async function forEachEvent(
  client: Client,
  query: Parameters<typeof listEvents>[1],
  take: (event: Event) => void,
): Promise<boolean> {
  try {
    for await (const events of listEvents(client, query)) events.forEach(take);
    return true;
  } catch (error) {
    if (isRefusal(error)) return false;
    throw error;
  }
}

/** Who of an organization, of those sought, was created and not deleted, with user names; undefined where the token may not read the log. */
export async function listLoggedUsers(
  client: Client,
  resourceOwner: string,
  isSought: (id: string, userName: string) => boolean = () => true,
): Promise<Map<string, string> | undefined> {
  const users = new Map<string, string>();
  const query = { eventTypes: [...userAdded, userRemoved], resourceOwner };
  const isReadable = await forEachEvent(client, query, (event) => {
    const [id, userName] = [idOf(event), textOf(event, 'userName')];
    if (typeOf(event) === userRemoved) users.delete(id);
    else if (isSought(id, userName)) users.set(id, userName);
  });
  return isReadable ? users : undefined;
}

/** Whether the log says that a user was deleted after this creation, in milliseconds: lists may show one who is gone. */
export type IsRemoved = (id: string, createdAt: number) => boolean;

/** As far as the token may read the log. */
export async function readRemovals(client: Client, orgs: readonly string[]): Promise<IsRemoved> {
  const last = new Map<string, number>();
  for (const resourceOwner of orgs) {
    await forEachEvent(client, { eventTypes: [userRemoved], resourceOwner }, (event) => {
      last.set(idOf(event), Date.parse(event.creationDate));
    });
  }
  return (id, createdAt) => (last.get(id) ?? -Infinity) >= createdAt;
}

/** The first events of a user, oldest first; undefined where the token may not read the log. */
const readEventsOf = (client: Client, id: string) =>
  readEvents(client, { aggregateId: id, aggregateTypes: ['user'], asc: true, limit: pageSize });

/** A user by the log alone; undefined for one who is not there, and where the token may not read the log. */
export async function readLoggedUser(client: Client, id: string): Promise<FoundUser | undefined> {
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

/** The metadata of a user by the log alone, in base64; undefined where the token may not read the log. */
export async function readLoggedMetadata(
  client: Client,
  id: string,
): Promise<ReadonlyMap<string, string> | undefined> {
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

/** What a run writes besides the user, sign-ins, and messages that went out: they change no date of a user. */
const leavesUser = /\.(?:metadata|externalidp|token|pat|check|sent|signed)\b/;

const typeOf = ({ type }: Event) => type?.type ?? '';

function textOf({ payload }: Event, name: string) {
  const value = (payload as Readonly<Record<string, unknown>> | undefined)?.[name];
  return typeof value === 'string' ? value : '';
}
