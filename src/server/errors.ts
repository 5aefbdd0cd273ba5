/** The refusals that handlers throw, and the status and body of each. */
import { credentialsCheckErrorType, errorDetailType, grpcCodes, grpcToHttp } from '../wire/errors.ts';
import type { ErrorBody, GrpcCode } from '../wire/errors.ts';
import { snakeCase } from '../wire/member-names.ts';
import { errorTexts, type ServiceErrorId, serviceErrors } from '../wire/service-errors.ts';

/** A refusal with a stable id; `key` is the text's key, shown as it is where it has no translation. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: GrpcCode;
  readonly id: string;
  readonly key: string;
  /** Failed password checks so far, where the detail has them. */
  readonly failedAttempts: number | undefined;

  constructor(code: GrpcCode, id: string, key: string, options: RefusalOptions = {}) {
    super(`ID=${id} Message=${key}`);
    this.code = code;
    this.id = id;
    this.key = key;
    this.failedAttempts = options.failedAttempts;
  }
}

interface RefusalOptions {
  /** Where an id is used with another code or key than the table has. */
  readonly code?: GrpcCode | undefined;
  readonly key?: string;
  readonly failedAttempts?: number;
}

/** A refusal of the gRPC layer: code and text only, no details and no id. */
export class PlainError extends Error {
  override readonly name = 'PlainError';
  readonly code: GrpcCode;
  /** Where the status is not the one of the code (405). */
  readonly status: number | undefined;

  constructor(code: GrpcCode, text: string, status?: number) {
    super(text);
    this.code = code;
    this.status = status;
  }
}

/** The refusal of that id in the table; throws for an id that is not in it. */
export function refusal(id: ServiceErrorId, options: RefusalOptions = {}): ServiceError {
  const known = serviceErrors.get(id)!;
  return new ServiceError(options.code ?? known.code, id, options.key ?? known.key, options);
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
export const invalid = (text: string): PlainError => new PlainError(grpcCodes.invalidArgument, text);

/** An error of a library that the service passes on as it is: HTTP 500, code 2, the text in the detail, no id. */
export const unknownError = (text: string): ServiceError => new ServiceError(grpcCodes.unknown, '', text);

/** The database takes no NUL in a text. */
export function requireStorable(...texts: readonly (string | undefined)[]): void {
  if (!texts.some((text) => text?.includes('\0'))) return;
  throw unknownError('unknown database error: ERROR: unsupported Unicode escape sequence (SQLSTATE 22P05)');
}

export const wrongMethod = (): PlainError =>
  new PlainError(grpcCodes.unimplemented, 'Method Not Allowed', 405);

/** What a panic in the service becomes. */
export const panicked = (): ServiceError => refusal('RECOVER');

/** Other languages, as far as recorded answers have them. */
const translations: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  de: { 'Errors.User.AlreadyExists': 'Benutzer existiert bereits' },
  fr: { 'Errors.User.AlreadyExists': "L'utilisateur existe déjà" },
};

/** `acceptLanguage`: the header of the request; its first language counts. */
function textOf(key: string, acceptLanguage = ''): string {
  const language = /^\s*([a-z]+)/i.exec(acceptLanguage)?.[1]?.toLowerCase() ?? '';
  return translations[language]?.[key] ?? errorTexts.get(key) ?? key;
}

/** The answer for any thrown value; an unexpected one looks like a panic of the service. */
export function answerOf(
  error: unknown,
  acceptLanguage: string | undefined,
): { readonly status: number; readonly body: ErrorBody } {
  if (error instanceof PlainError) {
    const status = error.status ?? grpcToHttp[error.code] ?? 500;
    return { status, body: { code: error.code, message: error.message } };
  }
  const known = error instanceof ServiceError ? error : panicked();
  const text = textOf(known.key, acceptLanguage);
  return {
    status: grpcToHttp[known.code] ?? 500,
    body: {
      code: known.code,
      message: `${text} (${known.id})`,
      details: [
        {
          '@type': known.failedAttempts === undefined ? errorDetailType : credentialsCheckErrorType,
          ...(known.id === '' ? {} : { id: known.id }),
          message: text,
          ...(known.failedAttempts ? { failedAttempts: known.failedAttempts } : {}),
        },
      ],
    },
  };
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

/** The text of an entry in the `errors` of a bulk import: untranslated. */
export const entryText = ({ id, key }: ServiceError): string => (id === '' ? key : `ID=${id} Message=${key}`);
