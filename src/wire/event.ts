/** The search of the event log, of which a migration needs `user.human.added`. */
import type { z } from 'zod';
import { flag, json, list, message, text, timestamp, uint32, uint64 } from './message.ts';

export const listEventsRequest = message('ListEventsRequest', {
  sequence: uint64(),
  limit: uint32(),
  asc: flag(),
  editorUserId: text({ max: 200 }),
  eventTypes: list(text(), { max: 30 }),
  aggregateId: text({ max: 200 }),
  aggregateTypes: list(text(), { max: 10 }),
  resourceOwner: text({ max: 200 }),
  creationDate: timestamp(),
  range: message('ListEventsRequest_creation_date_range', {
    since: timestamp(),
    until: timestamp(),
  }).optional(),
  from: timestamp(),
});
export type ListEventsInput = z.input<typeof listEventsRequest>;

export const event = message('Event', {
  editor: message('Editor', { userId: text(), displayName: text(), service: text() }).optional(),
  aggregate: message('Aggregate', {
    id: text(),
    type: message('AggregateType', {
      type: text(),
      localized: message('LocalizedMessage', { key: text(), localizedMessage: text() }).optional(),
    }).optional(),
    resourceOwner: text(),
  }).optional(),
  sequence: uint64(),
  creationDate: timestamp(),
  payload: json(),
  type: message('EventType', {
    type: text(),
    localized: message('LocalizedMessage', { key: text(), localizedMessage: text() }).optional(),
  }).optional(),
});
export type Event = z.output<typeof event>;

export const listEventsResponse = message('ListEventsResponse', { events: list(event) });
