/** The refusals that handlers throw, and the status and body of each. */
import {
  credentialsCheckErrorType,
  type ErrorBody,
  errorDetailType,
  type GrpcCode,
  grpcCodes,
  grpcToHttp,
} from '../wire/errors.ts';
import { snakeCase } from '../wire/member-names.ts';
import { errorTexts, type ServiceErrorId, serviceErrors, translations } from '../wire/service-errors.ts';

interface RefusalOptions {
  /** Empty where the service gives none; absent for a refusal of the gRPC layer: code and text only, no details. */
  readonly id?: string;
  /** Where the status is not the one of the code (405). */
  readonly status?: number;
  /** Failed password checks so far, where the detail has them. */
  readonly failedAttempts?: number;
}

/** A refusal; `key` is the text's key, shown as it is where it has no translation. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: GrpcCode;
  readonly key: string;
  readonly options: RefusalOptions;

  /** The message is that of an entry in the `errors` of a bulk import: untranslated. */
  constructor(code: GrpcCode, key: string, options: RefusalOptions = {}) {
    super(options.id ? `ID=${options.id} Message=${key}` : key);
    this.code = code;
    this.key = key;
    this.options = options;
  }
}

/** The refusal of that id in the table; the options are for an id that is used with another code or key as well. */
export function refusal(
  id: ServiceErrorId,
  options: Pick<RefusalOptions, 'failedAttempts'> & { code?: GrpcCode | undefined; key?: string } = {},
): ServiceError {
  const known = serviceErrors.get(id)!;
  const { code = known.code, key = known.key, ...more } = options;
  return new ServiceError(code, key, { id, ...more });
}

/** The row; throws where there is none, or where it belongs to another organization than `orgId`. */
export function existing<Row extends { readonly id: string; readonly orgId?: string }>(
  row: Row | undefined,
  errorId: ServiceErrorId,
  orgId = row?.orgId,
): Row {
  if (row === undefined || row.orgId !== orgId) throw refusal(errorId);
  return row;
}

/** `what` must be unique and is taken. */
export const notUnique = (what: string): ServiceError =>
  refusal('V3-DKcYh', { key: `Errors.${what}.AlreadyExists` });

/** Field rules, JSON that cannot be read: HTTP 400. */
export const invalid = (text: string): ServiceError => new ServiceError(grpcCodes.invalidArgument, text);

/** An error of a library that the service passes on as it is: HTTP 500, code 2, the text in the detail, no id. */
export const unknownError = (text: string): ServiceError =>
  new ServiceError(grpcCodes.unknown, text, { id: '' });

/** The database takes no NUL in a text. */
export function requireStorable(...texts: readonly (string | undefined)[]) {
  if (!texts.some((text) => text?.includes('\0'))) return;
  throw unknownError('unknown database error: ERROR: unsupported Unicode escape sequence (SQLSTATE 22P05)');
}

export const wrongMethod = (): ServiceError =>
  new ServiceError(grpcCodes.unimplemented, 'Method Not Allowed', { status: 405 });

/** What a panic in the service becomes. */
export const panicked = (): ServiceError => refusal('RECOVER');

/** `acceptLanguage`: the header of the request; its first language counts. */
function textOf(key: string, acceptLanguage = '') {
  const language = /^\s*([a-z]+)/i.exec(acceptLanguage)?.[1]?.toLowerCase() ?? '';
  return translations[language]?.[key] ?? errorTexts.get(key) ?? key;
}

/** The answer for any thrown value; an unexpected one looks like a panic of the service. */
export function answerOf(error: unknown, acceptLanguage: string | undefined) {
  const { code, key, options } = error instanceof ServiceError ? error : panicked();
  const { id, failedAttempts, status = grpcToHttp[code] ?? 500 } = options;
  if (id === undefined) return { status, body: { code, message: key } };
  const message = textOf(key, acceptLanguage);
  const detail = {
    '@type': failedAttempts === undefined ? errorDetailType : credentialsCheckErrorType,
    ...(id === '' ? {} : { id }),
    message,
    ...(failedAttempts ? { failedAttempts } : {}),
  };
  return { status, body: { code, message: `${message} (${id})`, details: [detail] } };
}

const connectCodes = new Map<number, string>(
  Object.entries(grpcCodes).map(([name, code]) => [code, snakeCase(name)]),
);

/** The same answer as the Connect protocol has it: the code by name, the detail as protobuf in base64 and as JSON. */
export function connectErrorOf({ code, message, details }: ErrorBody) {
  return {
    code: connectCodes.get(code),
    message,
    details: details?.map(({ '@type': type, ...debug }) => ({
      type: type.slice(type.indexOf('/') + 1),
      value: Buffer.concat([protobufText(1, debug.id), protobufText(2, debug.message)])
        .toString('base64')
        .replace(/=+$/, ''),
      debug,
    })),
  };
}

/** Ids and texts of errors are shorter than 128 bytes, mostly; the length is a varint. */
function protobufText(field: number, text = ''): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length === 0) return bytes;
  const length = bytes.length < 128 ? [bytes.length] : [(bytes.length & 127) | 128, bytes.length >> 7];
  return Buffer.concat([Buffer.from([(field << 3) | 2, ...length]), bytes]);
}
