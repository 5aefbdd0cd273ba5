/** An import request, one org of it or one entry of a list in, its size as the service counts it out: as protobuf. */
import { importHumanUserRequest } from './human-user.ts';
import { importDataRequest } from './import.ts';
import { dataOrg } from './org-data.ts';
import { fieldSize, lengthDelimited, protobufSize } from './protobuf-size.ts';

/**
 * The service counts protobuf, not JSON: a request may have at most this many bytes (gRPC's default receive limit);
 * above it answers 429 with code 8, and only splitting helps.
 */
export const requestLimit = 4_194_304;

/** The same for an answer, for example of an export. */
export const responseLimit = 10_485_760;

/** A whole body of `POST /admin/v1/import`. */
export function importRequestSize(body: unknown): number {
  return protobufSize(importDataRequest, body);
}

/** A body of `POST /management/v1/users/human/_import`. */
export function humanUserSize(body: unknown): number {
  return protobufSize(importHumanUserRequest, body);
}

/** The content of one org without its wrapping: what is left of a body when its lists are empty, for example. */
export function orgSize(org: unknown): number {
  return protobufSize(dataOrg, org);
}

/** What one more entry of a list of an org (`humanUsers`, `userMetadata`, ...) adds to `orgSize`. */
export function entrySize(list: string, entry: unknown): number {
  return fieldSize(dataOrg, list, [entry]);
}

/** The exact size of a body from the sizes of its orgs, so that a body can be filled without building it. */
export function bodySize(orgSizes: readonly number[], timeout: string): number {
  const orgs = orgSizes.reduce((sum, size) => sum + lengthDelimited(1, size), 0);
  return lengthDelimited(1, orgs) + fieldSize(importDataRequest, 'timeout', timeout);
}
