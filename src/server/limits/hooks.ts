/** Limits within the order of processing: size of requests and answers, a blocked instance, an exhausted quota. */
import { grpcCodes } from '../../wire/errors.ts';
import { responseLimit, requestLimit, protobufSize } from '../../wire/import-size.ts';
import type { Hooks } from '../app.ts';
import { PlainError, refusal } from '../errors.ts';

const { resourceExhausted } = grpcCodes;

/** Switched while the server runs, by the control interface. */
export interface Restrictions {
  /** The instance is blocked: every call is refused before its token is looked at. */
  blocked: boolean;
  /** Calls with a token that are left; undefined: no quota. */
  quota: number | undefined;
}

/**
 * The service counts protobuf. What is short as JSON is shorter as protobuf, so only long ones are measured.
 * Methods of version 2 read without a limit.
 */
export function limitHooks(
  restrictions: Restrictions,
  maxRequest = requestLimit,
  maxAnswer = responseLimit,
): Hooks {
  return {
    onRead(method, request, bytes) {
      if (bytes <= maxRequest || !isVersion1(method.rpc)) return;
      const size = protobufSize(method.request, request);
      if (size > maxRequest) throw tooLarge('grpc: received message larger than max', size, maxRequest);
    },
    onInstance() {
      if (!restrictions.blocked) return;
      throw refusal('LIMITS-molsj');
    },
    onCall() {
      if (restrictions.quota === undefined) return;
      if (restrictions.quota <= 0) throw refusal('QUOTA-vjAy8');
      restrictions.quota--;
    },
    onAnswer(method, body, length) {
      // A letter of a text is three bytes at most.
      if (length * 3 <= maxAnswer) return;
      const size = protobufSize(method.response, body);
      if (size > maxAnswer) throw tooLarge('trying to send message larger than max', size, maxAnswer);
    },
  };
}

function isVersion1(rpc: string): boolean {
  return /^\/zitadel\.(?:admin|management|auth|system)\.v1\./.test(rpc);
}

function tooLarge(text: string, size: number, max: number): PlainError {
  return new PlainError(resourceExhausted, `${text} (${size} vs. ${max})`);
}
