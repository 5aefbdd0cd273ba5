/** Decodes stored bytes to plain UTF-8: unpacks gzip, removes a byte order mark, and rewrites UTF-16. */
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { InputError } from '../errors.ts';
import { withHead, type Rewrite } from '../lib/input.ts';

/** Throws `InputError` for an empty input, another encoding or compression (by the first bytes), and broken gzip data. */
export async function* plainBytes(name: string, stored: AsyncIterable<Uint8Array>, rewrite?: Rewrite) {
  const { head, blocks } = await withHead(stored, headBytes);
  yield* textBytes(name, startsWith(head, gzip) ? gunzipped(name, blocks) : blocks, rewrite);
}

/** Number of bytes at the start that show what is stored. */
const headBytes = 8;

const gzip = [0x1f, 0x8b];
const byteOrderMark = [0xef, 0xbb, 0xbf];
const gunzipBlock = 256 * 1024;

async function* textBytes(name: string, bytes: AsyncIterable<Uint8Array>, rewrite: Rewrite | undefined) {
  const { head, blocks } = await withHead(bytes, headBytes);
  try {
    refuseUnreadable(name, head);
    const encoding = wideEncoding(head);
    if (encoding !== undefined) return yield* decodedBytes(name, blocks, encoding);
    let skip = startsWith(head, byteOrderMark) ? byteOrderMark.length : 0;
    if (rewrite !== undefined && skip === 0) return yield* rewrite(blocks);
    for await (const block of blocks) {
      if (block.length > skip) yield skip === 0 ? block : block.subarray(skip);
      skip = Math.max(0, skip - block.length);
    }
  } finally {
    await blocks.return(undefined);
  }
}

const packed: readonly { name: string; magic: readonly number[]; hint?: string }[] = [
  {
    name: 'a ZIP archive or an Excel workbook',
    magic: [0x50, 0x4b, 0x03, 0x04],
    hint: 'Unpack it first, or save the workbook as CSV UTF-8.',
  },
  {
    name: 'an old Excel workbook',
    magic: [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1],
    hint: 'Save it as CSV UTF-8.',
  },
  { name: 'packed with zstd', magic: [0x28, 0xb5, 0x2f, 0xfd] },
  { name: 'packed with xz', magic: [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00] },
  { name: 'packed with bzip2', magic: [0x42, 0x5a, 0x68] },
  { name: 'packed with gzip twice', magic: gzip, hint: 'Unpack it first.' },
  { name: 'a 7z archive', magic: [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c] },
];

function refuseUnreadable(name: string, head: Uint8Array) {
  if (head.length === 0) {
    throw new InputError(
      'input:empty',
      name,
      'it is empty',
      'Check that the export finished and wrote this file.',
    );
  }
  const archive = packed.find(({ magic }) => startsWith(head, magic));
  if (archive !== undefined) {
    throw new InputError(
      'input:packed',
      name,
      `it is ${archive.name}`,
      archive.hint ?? 'Unpack it first; only gzip is opened here.',
    );
  }
  const encoding = wideEncoding(head);
  if (encoding?.startsWith('UTF-32')) {
    throw new InputError(
      'input:not-utf8',
      name,
      `it is ${encoding}, not UTF-8`,
      `Save it as UTF-8, for example: iconv -f ${encoding} -t UTF-8 < old > new`,
    );
  }
}

/** Finds the encoding by byte order mark, or by the zero bytes that ASCII characters have in these encodings. */
function wideEncoding(head: Uint8Array) {
  if (startsWith(head, [0xff, 0xfe, 0x00, 0x00]) || startsWith(head, [0x00, 0x00, 0xfe, 0xff]))
    return 'UTF-32';
  if (startsWith(head, [0xff, 0xfe])) return 'UTF-16LE';
  if (startsWith(head, [0xfe, 0xff])) return 'UTF-16BE';
  const zeros = [...head.subarray(0, 8)].map((byte) => (byte === 0 ? '0' : 'x')).join('');
  const [first, second] = [zeros.slice(0, 4), zeros.slice(4)];
  // A binary number looks like the first character of UTF-32.
  const isNumber = zeroPatterns[first]?.startsWith('UTF-32') && second.length === 4 && second !== first;
  return isNumber ? undefined : zeroPatterns[first];
}

const zeroPatterns: Readonly<Record<string, string>> = {
  '000x': 'UTF-32BE',
  x000: 'UTF-32LE',
  '0x0x': 'UTF-16BE',
  x0x0: 'UTF-16LE',
  '0x': 'UTF-16BE',
  x0: 'UTF-16LE',
};

/** Converts another encoding to UTF-8 without a byte order mark. Throws `InputError` for invalid bytes. */
async function* decodedBytes(name: string, blocks: AsyncIterable<Uint8Array>, encoding: string) {
  const decoder = new TextDecoder(encoding, { fatal: true });
  const encoder = new TextEncoder();
  const decode = (block?: Uint8Array) => {
    try {
      return encoder.encode(decoder.decode(block, { stream: block !== undefined }));
    } catch (cause) {
      throw new InputError(
        'input:not-utf8',
        name,
        `it begins as ${encoding}, but some bytes are not`,
        'Save it as UTF-8.',
        cause,
      );
    }
  };
  for await (const block of blocks) yield decode(block);
  yield decode();
}

function startsWith(bytes: Uint8Array, magic: readonly number[]) {
  return magic.every((byte, at) => bytes[at] === byte);
}

async function* gunzipped(name: string, blocks: AsyncIterable<Uint8Array>) {
  const gunzip = createGunzip({ chunkSize: gunzipBlock });
  const source = Readable.from(copies(blocks), { objectMode: false, highWaterMark: 1 });
  source.on('error', (error) => gunzip.destroy(error));
  source.pipe(gunzip);
  try {
    for await (const block of gunzip) yield block as Buffer;
  } catch (error) {
    throw gzipProblem(name, error);
  } finally {
    source.destroy();
    gunzip.destroy();
  }
}

/** Gunzip runs on other threads, but a block is valid only until the next one, so each block is copied. */
async function* copies(blocks: AsyncIterable<Uint8Array>) {
  for await (const block of blocks) yield Buffer.from(block);
}

function gzipProblem(name: string, error: unknown) {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  const hint = 'The packing or the copy stopped early or went wrong: pack or copy the file again.';
  if (code === 'Z_BUF_ERROR') {
    return new InputError('input:truncated', name, 'the gzip data ends too early', hint, error);
  }
  if (code.startsWith('Z_')) {
    return new InputError('input:broken-gzip', name, 'the gzip data is broken', hint, error);
  }
  return error;
}
