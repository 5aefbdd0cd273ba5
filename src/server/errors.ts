/** The refusals that handlers throw, and the status and body of the answer to each. */
import {
  codeWords,
  credentialsCheckErrorType,
  errorDetailType,
  type GrpcCode,
  grpcCodes,
  grpcToHttp,
} from '../wire/errors.ts';
import { type ServiceErrorId, serviceErrors } from '../wire/service-errors.ts';
import { errorTexts, translations } from './error-texts.ts';

interface RefusalOptions {
  /**
   * Empty if the service gives no ID. Not set for a refusal of the gRPC layer, which has a code and a text but no
   * details.
   */
  readonly id?: string;
  /** Set if the status does not follow from the code (405). */
  readonly status?: number;
  /** Failed password checks so far, if the detail has them. */
  readonly failedAttempts?: number;
}

/** A refusal. `key` is the key of a text, and is itself shown if it has no translation. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: GrpcCode;
  readonly key: string;
  readonly options: RefusalOptions;

  /** `message` is untranslated, as in the `errors` of a bulk import. */
  constructor(code: GrpcCode, key: string, options: RefusalOptions = {}) {
    super(options.id ? `ID=${options.id} Message=${key}` : key);
    this.code = code;
    this.key = key;
    this.options = options;
  }
}

/** Returns the refusal with that id in the table. `options` are for an id that is also used with another code or key. */
export function refusal(
  id: ServiceErrorId,
  options: Pick<RefusalOptions, 'failedAttempts'> & { code?: GrpcCode | undefined; key?: string } = {},
) {
  const known = serviceErrors.get(id)!;
  const { code = known.code, key = known.key, ...more } = options;
  return new ServiceError(code, key, { id, ...more });
}

/** Throws the refusal with that id if something is `wrong`. */
export function refuseIf(wrong: boolean | undefined, id: ServiceErrorId) {
  if (wrong) throw refusal(id);
}

/** Throws if a request wants something that only the service has: better than an answer that left it out. */
export function refuseLacking(isAsked: boolean, what: string) {
  if (isAsked) throw new ServiceError(grpcCodes.unimplemented, `the reference server has no ${what}`);
}

/** Returns the value. Throws if it is undefined, or a row of another organization than `orgId`. */
export function existing<Value>(value: Value | undefined, errorId: ServiceErrorId, orgId?: string) {
  const isOfOther = orgId !== undefined && (value as { orgId?: string } | undefined)?.orgId !== orgId;
  if (value === undefined || isOfOther) throw refusal(errorId);
  return value;
}

/** Throws if `what` must be unique and is `taken`. */
export function requireUnique(taken: boolean, what: string) {
  if (taken) throw refusal('V3-DKcYh', { key: `Errors.${what}.AlreadyExists` });
}

/** Refusal of field rules or unreadable JSON: HTTP 400. */
export const invalid = (text: string) => new ServiceError(grpcCodes.invalidArgument, text);

/** A library's error that the service passes on: HTTP 500, code 2, the text in the detail, no ID. */
export const unknownError = (text: string) => new ServiceError(grpcCodes.unknown, text, { id: '' });

/** Throws as the service's database does if a text contains a NUL character. */
export function requireStorable(...texts: readonly (string | undefined)[]) {
  if (!texts.some((text) => text?.includes('\0'))) return;
  throw unknownError('unknown database error: ERROR: unsupported Unicode escape sequence (SQLSTATE 22P05)');
}

export const wrongMethod = () =>
  new ServiceError(grpcCodes.unimplemented, 'Method Not Allowed', { status: 405 });

/** `acceptLanguage` is the request's header. Only its first language counts. */
function textOf(key: string, acceptLanguage = '') {
  const language = /^\s*([a-z]+)/i.exec(acceptLanguage)?.[1]?.toLowerCase() ?? '';
  return translations[language]?.[key] ?? errorTexts[key] ?? key;
}

/** Returns the answer for any thrown value. An unexpected one looks like a panic of the service. */
export function answerOf(error: unknown, acceptLanguage: string | undefined) {
  const { code, key, options } = error instanceof ServiceError ? error : refusal('RECOVER');
  const { id, failedAttempts, status = grpcToHttp[code] ?? 500 } = options;
  if (id === undefined) return { status, body: { code, message: key } };
  const message = textOf(key, acceptLanguage);
  const detail = {
    '@type': failedAttempts === undefined ? errorDetailType : credentialsCheckErrorType,
    ...(id !== '' && { id }),
    message,
    ...(failedAttempts && { failedAttempts }),
  };
  return { status, body: { code, message: `${message} (${id})`, details: [detail] } };
}

/** Returns the same answer for the Connect protocol: the code by name, the detail as protobuf in base64 and as JSON. */
export function connectErrorOf({ code, message, details }: ReturnType<typeof answerOf>['body']) {
  return {
    code: codeWords[code],
    message,
    details: details?.map(({ '@type': type, ...debug }) => ({
      type: type.slice(type.indexOf('/') + 1),
      value: Buffer.from([
        ...protobufText(1, debug.id),
        ...protobufText(2, debug.message),
        ...(debug.failedAttempts ? [24, ...varint(debug.failedAttempts)] : []),
      ])
        .toString('base64')
        .replace(/=+$/, ''),
      debug,
    })),
  };
}

function protobufText(field: number, text = '') {
  const bytes = Buffer.from(text);
  return bytes.length === 0 ? [] : [(field << 3) | 2, ...varint(bytes.length), ...bytes];
}

/** Of one or two bytes: error ids and texts are short, failed attempts are few. */
const varint = (value: number) => (value < 128 ? [value] : [(value & 127) | 128, value >> 7]);
