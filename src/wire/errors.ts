/**
 * The body of every refusal: gRPC code, text and at most one detail with the stable id. Match on id and code, never on
 * the text.
 */

import { snakeCase } from './member-names.ts';

/** HTTP status of each gRPC code, by code, as the gateway maps them. */
export const grpcToHttp: readonly number[] = [
  200, 499, 500, 400, 504, 404, 409, 403, 429, 400, 409, 400, 501, 500, 503, 500, 401,
];

export const grpcCodes = {
  canceled: 1,
  unknown: 2,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  alreadyExists: 6,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  aborted: 10,
  outOfRange: 11,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  dataLoss: 15,
  unauthenticated: 16,
} as const;
/** Names of the codes, by code, as the Connect protocol writes them. */
export const codeWords: readonly string[] = ['ok', ...Object.keys(grpcCodes).map(snakeCase)];
export type GrpcCode = (typeof grpcCodes)[keyof typeof grpcCodes];

export const errorDetailType = 'type.googleapis.com/zitadel.v1.ErrorDetail';
export const credentialsCheckErrorType = 'type.googleapis.com/zitadel.v1.CredentialsCheckError';
