/**
 * Decodes the bytes of inputs, and converts other encodings to UTF-8 before. Throws if the bytes are not of the encoding,
 * because a replaced character would change a name or password.
 */
import { isUtf8 } from 'node:buffer';
import { InputError } from '../errors.ts';
import { validLength } from '../json/utf8.ts';
import { strictDecoder } from '../lib/strings.ts';

/** `offset` is that of the first byte in the input. Throws `InputError`. */
export function decodeUtf8(name: string, bytes: Uint8Array, offset: number) {
  if (isUtf8(bytes)) return Buffer.from(bytes).toString('utf8');
  throw invalidUtf8(name, offset + validLength(bytes));
}

/** Yields the text of each block, without a byte order mark. Throws `InputError`. */
export async function* textsOf(name: string, blocks: AsyncIterable<Uint8Array>) {
  const strict = strictDecoder();
  let offset = 0;
  const decode = (block?: Uint8Array) => {
    const text = strict(block);
    if (text === undefined) throw invalidUtf8(name, offset + validLength(block ?? new Uint8Array()));
    return text;
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
    'Save the file as UTF-8, or name its encoding in the mapping: source: { encoding: windows-1252 }. Export a column of bytes as text: hex(id).',
    undefined,
    { offset },
  );
}

/** Windows console code pages, which `TextDecoder` lacks: their characters from 0x80 on. */
const codePages: Readonly<Record<string, string>> = {
  cp437:
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0',
  cp850:
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0',
  cp852:
    'ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐└┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´\u00ad˝˛ˇ˘§÷¸°¨˙űŘř■\u00a0',
  cp858:
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈ€ÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0',
};

/** Values of `encoding` in a mapping. UTF-16 is detected without it. */
export const encodingNames = [
  'utf8',
  'latin1',
  ...[874, 1250, 1251, 1252, 1253, 1254, 1255, 1256, 1257, 1258].map((page) => `windows-${page}`),
  ...[2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15].map((part) => `iso-8859-${part}`),
  ...Object.keys(codePages),
  'ibm866',
  'koi8-r',
  'koi8-u',
  'macintosh',
  'big5',
  'euc-jp',
  'euc-kr',
  'gb18030',
  'gbk',
  'iso-2022-jp',
  'shift_jis',
] as const;

/** Throws `InputError` for bytes that are not valid in the encoding. `latin1` means Windows-1252, which has the euro sign. */
export async function* toUtf8(name: string, blocks: AsyncIterable<Uint8Array>, encoding: string) {
  const page = codePages[encoding];
  const decode = page === undefined ? strictDecoder(encoding) : decoderOfPage(page);
  let offset = 0;
  const rewrite = (block?: Uint8Array): Uint8Array => {
    const text = decode(block);
    const at = text?.search(unusual) ?? 0;
    if (text === undefined || at !== -1)
      throw wrongEncoding(name, encoding, text?.length === block?.length ? offset + at : offset);
    offset += block?.length ?? 0;
    return Buffer.from(text);
  };
  for await (const block of blocks) yield rewrite(block);
  yield rewrite();
}

/** Control characters that decoding produces for unassigned bytes, such as 0x81 in Windows-1252. */
const unusual = /[\u0080-\u009f]/;

type Decode = (block?: Uint8Array) => string | undefined;

function decoderOfPage(page: string): Decode {
  return (block = new Uint8Array()) =>
    Buffer.from(block)
      .toString('latin1')
      .replaceAll(/[\u0080-\u00ff]/g, (letter) => page.charAt(letter.charCodeAt(0) - 0x80));
}

function wrongEncoding(name: string, encoding: string, offset: number) {
  return new InputError(
    'input:wrong-encoding',
    name,
    `bytes from here on are not ${encoding}`,
    'Name its encoding in the mapping: source: { encoding: ... }. The console of Windows writes cp850 or cp437.',
    undefined,
    { offset },
  );
}
