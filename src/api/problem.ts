/** Reads gRPC code, error id and text from a refusal in any of the service's formats. */
import { isObject, tryParseJson, type JsonObject } from '../lib/json-value.ts';
import { redactText } from '../lib/redact.ts';
import { codeWords } from '../wire/errors.ts';
import type { ApiResponse } from './send.ts';

/** Longest message to keep. For a violated field rule the service gives a long chain of fields, with the rule at the very end. */
const longestMessage = 2000;

export function readProblem({ status, text }: ApiResponse) {
  const body = tryParseJson(text);
  if (!isObject(body)) return { status, code: undefined, id: undefined, message: plainText(text) };
  const detail = [body['details']].flat().find(isObject);
  const message = textOf(body['message']) ?? oauthText(body) ?? '';
  // The message ends in ` (<id>)`, even if the response has no details.
  const [, id] = / \(([A-Z][A-Za-z\d]{1,15}-[A-Za-z\d]{3,12})\)$/.exec(message) ?? [];
  return {
    status,
    code: codeOf(body['code']),
    id: textOf(detail?.['id']) ?? textOf(detail?.['slug']) ?? id,
    // The brackets may be there without an id.
    message: oneLine(message.replace(/ \(\)$/, '')),
  };
}

/** Returns `error` and `error_description` of the token endpoint. */
function oauthText(body: JsonObject) {
  const error = textOf(body['error']);
  const description = textOf(body['error_description']);
  return error && [error, description].filter(Boolean).join(': ');
}

/** Connect responses give the code as a word. */
function codeOf(value: unknown) {
  if (typeof value === 'number') return value;
  const code = codeWords.indexOf(String(value));
  return code === -1 ? undefined : code;
}

function textOf(value: unknown) {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Proxies answer with HTML pages, in which the title is the most informative part. */
function plainText(text: string) {
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(text.slice(0, 10_000))?.[1];
  return oneLine(title ?? text.slice(0, 10_000).replaceAll(/<[^>]*>/g, ' '));
}

function oneLine(text: string) {
  const line = redactText(text.replaceAll(/\s+/g, ' ').trim());
  return line.length > longestMessage ? `${line.slice(0, longestMessage)}...` : line;
}
