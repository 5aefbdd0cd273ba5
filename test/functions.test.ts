/** What functions return for arguments that are data, or the text with which they refuse them: `fixtures/functions.yaml`. */
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { describeCondition } from '../src/api/actions/condition.ts';
import { ApiError } from '../src/api/api-error.ts';
import { readProblem } from '../src/api/problem.ts';
import { classifyResponse, remedyFor } from '../src/api/refusals.ts';
import { mayRepeat, parseRetryAfter } from '../src/api/retry.ts';
import { encodeBase32 } from '../src/lib/base32.ts';
import * as format from '../src/lib/format.ts';
import { formatDuration, parseDuration } from '../src/lib/go-duration.ts';
import { isObject, keepDigits, tryParseJson } from '../src/lib/json-value.ts';
import { markdownTable, markdownText } from '../src/lib/markdown.ts';
import { nearest } from '../src/lib/nearest.ts';
import { isLoopback } from '../src/lib/private-address.ts';
import { isSecretName, redact, redactText } from '../src/lib/redact.ts';
import { withoutAdviceOn } from '../src/lib/strings.ts';
import { checkHash } from '../src/profiles/check-hash.ts';
import { parseProfile } from '../src/profiles/parse.ts';
import { isRecoveryCodeHash, serverVerdict } from '../src/profiles/server-verdict.ts';
import { checkAddress } from '../src/records/email.ts';
import { readGender } from '../src/records/gender.ts';
import { decodeHash } from '../src/records/hash-forms/decode.ts';
import { hashDecoders } from '../src/records/hash-forms/decoders.ts';
import { explainMismatch } from '../src/records/hash-forms/explain-mismatch.ts';
import { verifyDecoded } from '../src/records/hash-forms/verify-form.ts';
import { readLanguage } from '../src/records/language.ts';
import { encodeArgon2, encodePbkdf2, encodeScrypt } from '../src/records/mcf/keyed.ts';
import { canonicalBase32, otpObstacle } from '../src/records/otp.ts';
import { readPhone } from '../src/records/phone.ts';
import { countSignIn, signInAt, signInBy, signInKind, signInLines } from '../src/records/sign-in.ts';
import { mergeSettings } from '../src/records/summary.ts';
import * as texts from '../src/records/text.ts';
import { readIdentities } from '../src/sources/auth0/identities.ts';
import { readApp } from '../src/sources/keycloak/clients.ts';
import { readIdp } from '../src/sources/keycloak/identity-providers.ts';
import { formOfHead, keysIn, recognise } from '../src/sources/recognise.ts';
import { lineWidth, wrap } from '../src/terminal/text.ts';
import { readCall, verifySignature } from '../src/webhooks/index.ts';
import { decode, encode } from '../src/wire/codec.ts';
import { importHumanUserRequest } from '../src/wire/create-user.ts';
import { providerKinds } from '../src/wire/identity-providers.ts';
import { importDataOrg } from '../src/wire/import.ts';
import { readProject } from './support/folder.ts';
import { aRequest } from './support/script.ts';

const post = aRequest({ url: 'https://id.example/admin/v1/import', method: 'POST' });
const profileOf = (settings: object) => parseProfile(JSON.stringify(settings), 'target.json');
const decodeBy = (name: string, parts: any) => decodeHash(hashDecoders.get(name)!, parts);

/** Those that take or return more than data are called with what data says of it. */
const functions: Readonly<Record<string, (...given: any[]) => unknown>> = {
  ...format,
  ...texts,
  canonicalBase32,
  checkAddress,
  classifyResponse,
  describeCondition,
  encodeArgon2,
  encodePbkdf2,
  encodeScrypt,
  isLoopback,
  isRecoveryCodeHash,
  isSecretName,
  keepDigits,
  lineWidth,
  markdownTable,
  markdownText,
  mayRepeat,
  mergeSettings,
  nearest,
  otpObstacle,
  parseRetryAfter,
  readApp,
  readGender,
  readIdentities,
  readLanguage,
  readPhone,
  readProblem,
  redact,
  redactText,
  remedyFor,
  tryParseJson,
  signInAt,
  signInBy,
  signInKind,
  wrap,
  apiErrorMessage: (status, text) => new ApiError(post, { status, headers: {}, text }).message,
  checkHash: (mcf, settings) => checkHash(mcf, profileOf(settings)),
  codecReturns: (body) => encode(importDataOrg, decode(importDataOrg, Buffer.from(JSON.stringify(body)))),
  decodeHash: decodeBy,
  decodeUser: (text) => decode(importHumanUserRequest, Buffer.from(text)),
  encodeBase32: (text) => encodeBase32(Buffer.from(text)),
  explainMismatch: (stored, password) => explainMismatch(stored, password, () => false),
  formatDuration: (text) => formatDuration(parseDuration(text)),
  formOfHead: (text) => formOfHead(Buffer.from(text)),
  isObject: (text) => isObject(tryParseJson(text)),
  keysIn: (text, form) => [...keysIn(text, form)],
  readCall: (text) => ({ ...readCall(Buffer.from(text)), body: undefined }),
  readIdp: (given) => {
    const read = readIdp(given);
    const { kind, settings } = read.made ?? {};
    if (kind) providerKinds[kind].request.parse({ name: 'work', clientSecret: 's', ...settings });
    return read;
  },
  recognise: (text) => recognise(Buffer.from(text)),
  serverVerdict: (mcf, settings) => serverVerdict(mcf, profileOf(settings)),
  signInLines: (kinds) => signInLines(countSignIn(new Map(kinds))),
  verifyDecoded: (name, parts, password) => verifyDecoded(decodeBy(name, parts), password),
  verifySignature: (call) => JSON.parse(JSON.stringify(verifySignature(call))),
  withoutAdviceOn: (text, flags) => withoutAdviceOn(text, new Set(flags)),
};

const { returned, refused } = parse(readProject('fixtures/functions.yaml'), { maxAliasCount: -1 });

const rowsOf = (section: Readonly<Record<string, any[][]>>) =>
  Object.entries(section).flatMap(([name, rows]) =>
    rows.map((row) => ({ name, given: row.slice(0, -1).map((one) => one ?? undefined), result: row.at(-1) })),
  );

it.each(rowsOf(returned))('$name of $given', async ({ name, given, result }) => {
  expect((await functions[name]!(...given)) ?? null).toEqual(result);
});

it.each(rowsOf(refused))('$name refuses $given', ({ name, given, result }) => {
  expect(() => functions[name]!(...given)).toThrow(result);
});
