/** The search of the event log. A migration needs the events `user.human.added`. */
import {
  type Output,
  type Input,
  text,
  textUpTo,
  flag,
  uint32,
  uint64,
  timestamp,
  json,
  list,
  message,
} from './message.ts';

export const listEventsRequest = message('ListEventsRequest', {
  sequence: uint64,
  limit: uint32,
  asc: flag,
  editorUserId: textUpTo(200),
  eventTypes: list(text, { max: 30 }),
  aggregateId: textUpTo(200),
  aggregateTypes: list(text, { max: 10 }),
  resourceOwner: textUpTo(200),
  creationDate: timestamp,
  range: message('ListEventsRequest_creation_date_range', {
    since: timestamp,
    until: timestamp,
  }),
  from: timestamp,
});
export type ListEventsInput = Input<typeof listEventsRequest>;

const named = { type: text, localized: { key: text, localizedMessage: text } };

export const event = message('Event', {
  editor: { userId: text, displayName: text, service: text },
  aggregate: {
    id: text,
    type: named,
    resourceOwner: text,
  },
  sequence: uint64,
  creationDate: timestamp,
  payload: json,
  type: named,
});
export type Event = Output<typeof event>;

export const listEventsResponse = message('ListEventsResponse', { events: list(event) });
