/** Sizes of requests and answers within the order of processing: the service counts protobuf. */
import { grpcCodes } from '../../wire/errors.ts';
import { responseLimit, requestLimit, protobufSize } from '../../wire/import-size.ts';
import { PlainError } from '../errors.ts';
import type { Method } from '../method.ts';

/** What is short as JSON is shorter as protobuf, so only long ones are measured. Methods of version 2 read without a limit. */
export function checkRequestSize({ rpc, request: schema }: Method, request: unknown, bytes: number): void {
  if (bytes <= requestLimit || !/^\/zitadel\.(?:admin|management|auth|system)\.v1\./.test(rpc)) return;
  const size = protobufSize(schema, request);
  if (size > requestLimit) throw tooLarge('grpc: received message larger than max', size, requestLimit);
}

/** Of an answer as it will leave, defaults left out; `length` is that of its JSON text. */
export function checkAnswerSize({ response }: Method, body: unknown, length: number): void {
  // A letter of a text is three bytes at most.
  if (length * 3 <= responseLimit) return;
  const size = protobufSize(response, body);
  if (size > responseLimit) throw answerTooLarge(size);
}

export const answerTooLarge = (size: number): PlainError =>
  tooLarge('trying to send message larger than max', size, responseLimit);

const tooLarge = (text: string, size: number, max: number): PlainError =>
  new PlainError(grpcCodes.resourceExhausted, `${text} (${size} vs. ${max})`);
