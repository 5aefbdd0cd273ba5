/** The search of the event log: which users were added, when and by whom. */
import type { z } from 'zod';
import { event, listEventsRequest, listEventsResponse } from '../../wire/event.ts';
import { formatTimestamp } from '../../wire/scalars.ts';
import type { Call } from '../context.ts';
import { method } from '../method.ts';
import { displayNameOf } from '../users/show.ts';
import type { UserRow } from '../store/rows.ts';

type Query = z.output<typeof listEventsRequest>;

/** More are never given at once. */
const maxEvents = 1000;

const types = { human: 'user.human.added', machine: 'user.machine.added' } as const;
const localized = { human: 'Person added', machine: 'Technical user added' } as const;

export const eventMethods = [
  method({
    rpc: '/zitadel.admin.v1.AdminService/ListEvents',
    routes: ['POST /admin/v1/events/_search'],
    permission: 'events.read',
    request: listEventsRequest,
    response: listEventsResponse,
    handle: (call, query) => ({ events: findEvents(call, query).map((user) => show(call, user)) }),
  }),
];

/** Users who are gone take their events with them here; the real log keeps both. */
function findEvents({ store }: Call, query: Query): UserRow[] {
  const limit = query.limit === 0 ? maxEvents : Math.min(query.limit, maxEvents);
  const list = store.users.list(query.resourceOwner === '' ? undefined : query.resourceOwner);
  const one = query.aggregateId === '' ? undefined : store.users.get(query.aggregateId);
  if (query.aggregateId !== '' && one === undefined) return [];
  const found: UserRow[] = [];
  for (const user of one === undefined ? list.values(!query.asc) : [one]) {
    if (!matches(user, query)) continue;
    found.push(user);
    if (found.length === limit) break;
  }
  return found;
}

function matches(user: UserRow, query: Query): boolean {
  const { eventTypes, aggregateTypes, editorUserId, resourceOwner, range, asc } = query;
  if (eventTypes.length > 0 && !eventTypes.includes(types[user.kind])) return false;
  if (aggregateTypes.length > 0 && !aggregateTypes.includes('user')) return false;
  if (editorUserId !== '' && user.editor !== editorUserId) return false;
  if (resourceOwner !== '' && user.orgId !== resourceOwner) return false;
  const after = [range?.since ?? '', asc ? query.from || query.creationDate : ''];
  const before = [range?.until ?? '', asc ? '' : query.from || query.creationDate];
  return (
    after.every((time) => time === '' || user.created >= Date.parse(time)) &&
    before.every((time) => time === '' || user.created <= Date.parse(time))
  );
}

/** The payload is the event's, without the hash that the real one carries. */
function show({ store }: Call, user: UserRow): z.input<typeof event> {
  const editor = store.users.get(user.editor);
  return {
    editor: {
      userId: user.editor,
      displayName: editor === undefined ? '' : displayNameOf(editor),
      service: 'Admin-API',
    },
    aggregate: {
      id: user.id,
      type: { type: 'user', localized: { key: 'AggregateTypes.user', localizedMessage: 'User' } },
      resourceOwner: user.orgId,
    },
    sequence: '1',
    creationDate: formatTimestamp(user.created),
    payload: payloadOf(user),
    type: {
      type: types[user.kind],
      localized: { key: `EventTypes.${types[user.kind]}`, localizedMessage: localized[user.kind] },
    },
  };
}

function payloadOf(user: UserRow): Record<string, string> {
  if (user.kind === 'machine') return { userName: user.userName, name: user.more?.name ?? '' };
  return {
    userName: user.userName,
    firstName: user.firstName,
    lastName: user.lastName,
    displayName: displayNameOf(user),
    preferredLanguage: user.language,
    email: user.email,
    ...(user.more?.phone === undefined ? {} : { phone: user.more.phone }),
  };
}
