/** Parts that requests and responses of all services share: object details, list details, paging. */
import type { z } from 'zod';
import { choice, flag, list, message, text, timestamp, uint32, uint64 } from './message.ts';

/** v1 details of one object; `sequence` is text. */
export const objectDetails = message('ObjectDetails', {
  sequence: uint64(),
  creationDate: timestamp(),
  changeDate: timestamp(),
  resourceOwner: text(),
});

export const details = objectDetails.optional();

/**
 * `viewTimestamp` (version 1) and `timestamp` (version 2) say up to when the list shows what was written. An empty page
 * has no `totalResult`; the service of today has no `processedSequence`.
 */
export const listDetails = message('ListDetails', {
  totalResult: uint64(),
  processedSequence: uint64(),
  viewTimestamp: timestamp(),
  timestamp: timestamp(),
});

export type ListDetails = z.output<typeof listDetails>;

/** A page of a list. */
export const listResponse = <Item extends z.ZodType>(goName: string, item: Item) =>
  message(goName, { details: listDetails.optional(), result: list(item) });

/** Paging of v1 (`query`) and of v2 (`query` or `pagination`). */
export const listQuery = message('ListQuery', {
  offset: uint64(),
  limit: uint32(),
  asc: flag(),
});
export type ListQuery = z.output<typeof listQuery>;

export const query = listQuery.optional();

export const textQueryMethods = [
  'TEXT_QUERY_METHOD_EQUALS',
  'TEXT_QUERY_METHOD_EQUALS_IGNORE_CASE',
  'TEXT_QUERY_METHOD_STARTS_WITH',
  'TEXT_QUERY_METHOD_STARTS_WITH_IGNORE_CASE',
  'TEXT_QUERY_METHOD_CONTAINS',
  'TEXT_QUERY_METHOD_CONTAINS_IGNORE_CASE',
  'TEXT_QUERY_METHOD_ENDS_WITH',
  'TEXT_QUERY_METHOD_ENDS_WITH_IGNORE_CASE',
] as const;
export type TextQueryMethod = (typeof textQueryMethods)[number];
export const textQueryMethod = () => choice(textQueryMethods);

/** A text to compare with, and how. */
export const textQuery = <const Field extends string>(goName: string, field: Field, max = 200) =>
  message(goName, {
    [field]: text({ max }),
    method: textQueryMethod(),
  } as Record<Field, ReturnType<typeof text>> & { method: ReturnType<typeof textQueryMethod> }).optional();

export const idQuery = <const Field extends string>(goName: string, field: Field) =>
  message(goName, { [field]: text({ max: 200 }) } as Record<Field, ReturnType<typeof text>>).optional();

/** A response that says only when and where something changed. */
export const detailsResponse = message('DetailsResponse', { details });
