/** Reads the lists of a body that belong to its users, grouped into the calls that a one-by-one import makes for them. */
import type { Input } from '../../lib/input.ts';
import { firstText, isObject, type JsonObject } from '../../lib/json-value.ts';
import { readEntries } from '../../sources/org-data/entries.ts';
import { readUserGrants } from '../../sources/org-data/projects.ts';

/** The lists of a body that a one-by-one import carries besides the users themselves. */
export const carriedLists = ['userMetadata', 'userLinks', 'userGrants'] as const;
export type CarriedList = (typeof carriedLists)[number];

export interface MetadataCall {
  /** That of the body. */
  readonly userId: string;
  /** Values are base64. */
  readonly metadata: readonly { readonly key: string; readonly value: string }[];
}

export interface LinkCall {
  readonly userId: string;
  readonly idpId: string;
  readonly externalId: string;
  readonly externalName: string;
}

/** Far below what the service takes in a request. */
const mostKeys = 100;

/** Consecutive entries of one user are one call. */
export async function* readMetadataCalls(input: Input): AsyncGenerator<MetadataCall> {
  let userId = '';
  let metadata: { key: string; value: string }[] = [];
  for await (const { text } of readEntries(input, 'userMetadata')) {
    const entry = parse(text);
    const id = firstText(entry, 'id');
    if (metadata.length > 0 && (id !== userId || metadata.length === mostKeys)) {
      yield { userId, metadata };
      metadata = [];
    }
    userId = id;
    metadata.push({ key: firstText(entry, 'key'), value: firstText(entry, 'value') });
  }
  if (metadata.length > 0) yield { userId, metadata };
}

export async function* readLinkCalls(input: Input): AsyncGenerator<LinkCall> {
  for await (const { text } of readEntries(input, 'userLinks')) {
    const entry = parse(text);
    yield {
      userId: firstText(entry, 'userId', 'user_id'),
      idpId: firstText(entry, 'idpId', 'idp_id'),
      externalId: firstText(entry, 'providedUserId', 'provided_user_id'),
      externalName: firstText(entry, 'providedUserName', 'provided_user_name'),
    };
  }
}

const callReaders: Readonly<Record<CarriedList, (input: Input) => AsyncIterable<unknown>>> = {
  userMetadata: readMetadataCalls,
  userLinks: readLinkCalls,
  userGrants: readUserGrants,
};

/** The calls that a list of the bodies takes in a one-by-one import. */
export async function countCalls(inputs: readonly Input[], list: CarriedList): Promise<number> {
  let count = 0;
  for (const input of inputs) for await (const _ of callReaders[list](input)) count += 1;
  return count;
}

function parse(text: string): JsonObject {
  const value: unknown = JSON.parse(text);
  return isObject(value) ? value : {};
}
