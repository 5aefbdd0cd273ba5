/** Parts that requests and responses of all services share: object details, list details, paging. */
import {
  type Field,
  type Input,
  type Output,
  text,
  textUpTo,
  flag,
  uint32,
  uint64,
  timestamp,
  definedChoice,
  list,
  message,
  type Message,
} from './message.ts';

/** Details of one object in version 1. `sequence` is decimal text. */
export const details = message('ObjectDetails', {
  sequence: uint64,
  creationDate: timestamp,
  changeDate: timestamp,
  resourceOwner: text,
});

/**
 * Details of a list. `viewTimestamp` (version 1) and `timestamp` (version 2) are the time up to which the list is current. An
 * empty page has no `totalResult`.
 */
export const listDetails = message('ListDetails', {
  totalResult: uint64,
  viewTimestamp: timestamp,
  timestamp,
});

export type ListDetails = Output<typeof listDetails>;

/** Response with a page of a list. */
export const listResponse = <Read, Write>(
  goName: string,
  item: Message<Read, Write>,
): Message<
  { details?: ListDetails | undefined; result: Read[] },
  { details?: Input<typeof listDetails> | undefined; result?: Write[] | undefined }
> => message(goName, { details: listDetails, result: list(item as Message) }) as Message<never, never>;

/** Paging: `query` in version 1, `query` or `pagination` in version 2. */
const paging = { offset: uint64, limit: uint32, asc: flag };
export const query = message('ListQuery', paging);
export type ListQuery = Output<typeof query>;
/** Paging in the newer services of version 2. */
export const pagination = message('PaginationRequest', paging);
export const paginationResponse = message('PaginationResponse', {
  totalResult: uint64,
  appliedLimit: uint64,
});

const comparisons = ['EQUALS', 'STARTS_WITH', 'CONTAINS', 'ENDS_WITH'] as const;
type TextMethod<Of extends string> =
  `TEXT_${Of}_METHOD_${(typeof comparisons)[number]}${'' | '_IGNORE_CASE'}`;
/** Enum of the ways to compare texts. `of` is the word in its names: `QUERY` or `FILTER`. */
export const textMethod = <const Of extends string>(of: Of) =>
  definedChoice(
    comparisons.flatMap((name) => [`TEXT_${of}_METHOD_${name}`, `TEXT_${of}_METHOD_${name}_IGNORE_CASE`]) as [
      TextMethod<Of>,
    ],
  );
export const textQueryMethod = textMethod('QUERY');
type TextQueryMethod = TextMethod<'QUERY'>;

type Named<Name extends string> = { [Key in Name]: string };

/** Query with a text and the method to compare it. */
export const textQuery = <const Name extends string>(
  goName: string,
  name: Name,
  value: Field = textUpTo(200),
): Message<
  Named<Name> & { method: TextQueryMethod | number },
  { [Key in Name]?: string | undefined } & { method?: TextQueryMethod | number | undefined }
> => message(goName, { [name]: value, method: textQueryMethod }) as Message<never, never>;

export const idQuery = <const Name extends string>(
  goName: string,
  name: Name,
): Message<Named<Name>, { [Key in Name]?: string | undefined }> =>
  message(goName, { [name]: textUpTo(200) }) as Message<never, never>;

/** Response with only the details of a change. */
export const detailsResponse = message('DetailsResponse', { details });
