/**
 * Decodes the bytes of inputs. Throws if they are not UTF-8, because a replaced character would change a name or
 * password.
 */
import { isUtf8 } from 'node:buffer';
import { InputError } from '../errors.ts';
import { validLength } from '../json/utf8.ts';

/** `offset` is that of the first byte in the input. Throws `InputError`. */
export function decodeUtf8(name: string, bytes: Uint8Array, offset: number) {
  if (isUtf8(bytes)) return Buffer.from(bytes).toString('utf8');
  throw invalidUtf8(name, offset + validLength(bytes));
}

/** Yields the text of each block, without a byte order mark. Throws `InputError`. */
export async function* textsOf(name: string, blocks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let offset = 0;
  const decode = (block?: Uint8Array) => {
    try {
      return decoder.decode(block, { stream: block !== undefined });
    } catch {
      throw invalidUtf8(name, offset + validLength(block ?? new Uint8Array()));
    }
  };
  for await (const block of blocks) {
    yield decode(block);
    offset += block.length;
  }
  yield decode();
}

function invalidUtf8(name: string, offset: number) {
  return new InputError(
    'input:invalid-utf8',
    name,
    'the bytes here are not UTF-8',
    'Save the file as UTF-8, or name its encoding in the mapping: source: { encoding: windows-1252 }.',
    undefined,
    { offset },
  );
}
