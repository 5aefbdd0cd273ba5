/** Opens a file as rows, in the format that its content shows. */
import { withHead } from '../../../lib/input.ts';
import { strictDecoder } from '../../../lib/strings.ts';
import { openCsv } from './csv.ts';
import { toUtf8 } from '../../encoding.ts';
import type { FormName, FormRequest, OpenRows } from './form.ts';
import { openJson } from './json.ts';
import { openLdif } from './ldif.ts';
import { recogniseForm } from './recognise.ts';
import { openSql } from './sql.ts';
import { openYaml } from './yaml.ts';

const openers: Readonly<Record<FormName, (request: FormRequest) => OpenRows | Promise<OpenRows>>> = {
  csv: openCsv,
  json: openJson,
  sql: openSql,
  ldif: openLdif,
  yaml: openYaml,
};

export interface OpenedRows extends OpenRows {
  readonly form: FormName;
  readonly head: Uint8Array;
  readonly close: () => Promise<void>;
}

interface OpenRequest extends Omit<FormRequest, 'head' | 'blocks'> {
  /** What is only true for tables. */
  readonly csv?: Partial<FormRequest>;
}

/** Throws `InputError` or `UsageError` for a file that cannot be read. Close the result unless its batches were read to the end. */
export async function openRows(request: OpenRequest): Promise<OpenedRows> {
  const { head, blocks } = await withHead(textOf(request));
  const close = async () => {
    await blocks.return(undefined);
  };
  try {
    const form = request.source.format ?? recogniseForm(request.input, head);
    const own = form === 'csv' ? request.csv : undefined;
    return { form, head, close, ...(await openers[form]({ ...request, ...own, head, blocks })) };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Decodes the file. A joined table may be UTF-8 although the users have another encoding; other text rarely looks like UTF-8. */
function textOf({ input, source: { encoding = 'utf8' }, isOptional }: OpenRequest) {
  if (encoding === 'utf8') return input.blocks();
  const mayBeUtf8 = isOptional === true && /^(?:latin1|windows|iso-8859|cp|koi8|mac|ibm)/.test(encoding);
  const rewrite = mayBeUtf8 ? unlessUtf8 : toUtf8;
  return input.blocks((blocks) => rewrite(input.name, blocks, encoding));
}

async function* unlessUtf8(name: string, bytes: AsyncIterable<Uint8Array>, encoding: string) {
  const { head, blocks } = await withHead(bytes);
  try {
    yield* isWideUtf8(head) ? blocks : toUtf8(name, blocks, encoding);
  } finally {
    await blocks.return(undefined);
  }
}

/** Reports whether the bytes are UTF-8 with characters beyond ASCII. */
const isWideUtf8 = (head: Uint8Array) => (strictDecoder()(head)?.length ?? Infinity) < head.length;
