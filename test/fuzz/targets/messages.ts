/**
 * Bodies of every call read by the rules of protobuf JSON: white space means nothing, and what is not JSON is refused.
 */
import { methods } from '../../../src/server/methods/index.ts';
import { decode, DecodeError } from '../../../src/wire/codec.ts';
import { jsonSyntaxError } from '../../../src/wire/json-reader.ts';
import { violation } from '../../../src/wire/validate.ts';
import { mutate } from '../mutate.ts';
import { drawMessage } from '../requests.ts';
import { expectSame, Finding, type FuzzTarget } from '../target.ts';

const requests = methods.map(({ request }) => request);

export const messages: FuzzTarget = {
  name: 'messages',
  about:
    'a body is read the same with and without white space, or refused with a message; what is not JSON is refused',
  share: 15,
  open: () =>
    Promise.resolve({
      make(draw) {
        const { plan } = draw.pick(requests);
        const body = Buffer.from(JSON.stringify(drawMessage(plan, draw)));
        return draw.chance(0.2) ? body : mutate(body, draw, [body]);
      },
      check(input, draw) {
        const schema = draw.pick(requests);
        const read = outcome(() => decode(schema, input));
        if (read.value !== undefined) violation(schema, read.value);
        const spaced = Buffer.from(spread(input.toString('latin1')), 'latin1');
        const again = outcome(() => decode(schema, spaced));
        expectSame('reading it with white space', [again.failed, again.value], [read.failed, read.value]);
        // Valid JSON is never reported as invalid.
        const syntax = jsonSyntaxError(input);
        if (syntax !== undefined && isJson(input)) {
          throw new Finding('difference', `JSON, and refused: ${syntax}`);
        }
      },
    }),
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
    if (error.message === '') throw new Finding('difference', 'a refusal without a text');
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
