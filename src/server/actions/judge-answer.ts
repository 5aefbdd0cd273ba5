/** What a receiver answered in, whether the triggering call goes on and with what out. */
import { grpcCodes } from '../../wire/errors.ts';
import type { GrpcCode } from '../../wire/errors.ts';
import { refusal, unknown } from '../errors.ts';
import type { ServiceError } from '../errors.ts';
import type { TargetAnswer } from './call-target.ts';

export type Judged =
  /** `body` is empty when the receiver sent nothing. */
  { readonly ok: true; readonly body: string } | { readonly ok: false; readonly error: ServiceError };

const codeOfStatus: Readonly<Record<number, GrpcCode>> = {
  400: grpcCodes.invalidArgument,
  401: grpcCodes.unauthenticated,
  403: grpcCodes.permissionDenied,
  404: grpcCodes.notFound,
  409: grpcCodes.alreadyExists,
  429: grpcCodes.resourceExhausted,
};

const executionFailed = (id: string): ServiceError =>
  refusal(grpcCodes.failedPrecondition, id, 'Errors.Execution.Failed');

/**
 * 2xx goes on, unless its body forwards a status of the receiver's own; any other status and a call without an answer
 * fail. Whether a failure counts is the target's `interruptOnError`, and not asked here.
 */
export function judgeAnswer(answer: TargetAnswer): Judged {
  if (answer.status === undefined) return { ok: false, error: unknown(answer.problem) };
  if (answer.status < 200 || answer.status > 299) {
    return { ok: false, error: executionFailed('EXEC-dra6yamk98') };
  }
  const forwarded = forwardedError(answer.body);
  return forwarded === undefined ? { ok: true, body: answer.body } : { ok: false, error: forwarded };
}

/** `{"forwardedStatusCode": 403, "forwardedErrorMessage": "not you"}` */
function forwardedError(body: string): ServiceError | undefined {
  if (!body.includes('forwardedStatusCode')) return undefined;
  const found = parse(body);
  const status = found?.forwardedStatusCode;
  if (typeof status !== 'number' || status === 0) return undefined;
  if (status < 400 || status > 499) return executionFailed('EXEC-bmhNhpcqpF');
  const text = typeof found?.forwardedErrorMessage === 'string' ? found.forwardedErrorMessage : '';
  return refusal(codeOfStatus[status] ?? grpcCodes.unknown, 'EXEC-reUaUZCzCp', text);
}

function parse(body: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
