/**
 * Bodies of every call read by the rules of protobuf JSON: white space means nothing, and what is not JSON is refused.
 */
import { methods } from '../../../src/server/methods/index.ts';
import { decode, DecodeError } from '../../../src/wire/codec.ts';
import { jsonSyntaxError } from '../../../src/wire/json-reader.ts';
import { violation } from '../../../src/wire/validate.ts';
import { drawn } from '../arbitraries.ts';
import { mutate } from '../mutate.ts';
import { drawMessage } from '../requests.ts';
import { expectSame, type FuzzTarget, fuzzProperty } from '../target.ts';

const requests = methods.map(({ request }) => request);

export const messages: FuzzTarget = {
  name: 'messages',
  about:
    'a body is read the same with and without white space, or refused with a message; what is not JSON is refused',
  share: 15,
  open: async () =>
    fuzzProperty(
      drawn((draw) => {
        const schema = draw.pick(requests);
        const body = Buffer.from(JSON.stringify(drawMessage(schema.plan, draw)));
        return { schema, body: draw.chance(0.2) ? body : mutate(body, draw) };
      }),
      ({ schema, body }) => {
        const read = outcome(() => decode(schema, body));
        if (read.value !== undefined) violation(schema, read.value);
        const spaced = Buffer.from(spread(body.toString('latin1')), 'latin1');
        const again = outcome(() => decode(schema, spaced));
        expectSame('reading it with white space', [again.failed, again.value], [read.failed, read.value]);
        // Valid JSON is never reported as invalid.
        if (isJson(body)) expectSame('the refusal of JSON', jsonSyntaxError(body), undefined);
      },
    ),
};

interface Outcome {
  readonly failed: boolean;
  readonly value?: unknown;
}

function outcome(read: () => unknown): Outcome {
  try {
    return { failed: false, value: read() };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    expectSame('a refusal without a text', error.message === '', false);
    return { failed: true };
  }
}

/** A blank after every bracket, comma, colon and text. */
function spread(text: string) {
  return text.replace(/"(?:[^"\\]|\\[^])*"|[[\]{},:]/g, (token) => `${token} `);
}

function isJson(bytes: Buffer) {
  try {
    JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
    return true;
  } catch {
    return false;
  }
}
