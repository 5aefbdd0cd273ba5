/** Opens a file as rows, in the format that its content shows. */
import { withHead } from '../../../lib/input.ts';
import { strictDecoder } from '../../../lib/strings.ts';
import { openCsv } from './csv.ts';
import { rejectedKey } from '../../../records/user.ts';
import { toUtf8 } from '../../encoding.ts';
import type { FormName, FormRequest, OpenRows } from './form.ts';
import { openJson } from './json.ts';
import { openLdif } from './ldif.ts';
import { headText, recogniseForm } from './recognise.ts';
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
    // What the mapping says of the export is not true for rejects, which are JSON.
    const source = isRejects(head) ? {} : request.source;
    const form = source.format ?? recogniseForm(request.input, head);
    const own = form === 'csv' ? request.csv : undefined;
    return { form, head, close, ...(await openers[form]({ ...request, source, ...own, head, blocks })) };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Decodes the file. Rejects are UTF-8, and a joined table may be, although the users have another encoding; other text rarely looks like UTF-8. */
function textOf({ input, source: { encoding = 'utf8' }, isOptional }: OpenRequest) {
  if (encoding === 'utf8') return input.blocks();
  const mayBeUtf8 = isOptional === true && /^(?:latin1|windows|iso-8859|cp|koi8|mac|ibm)/.test(encoding);
  return input.blocks(async function* decode(bytes) {
    const { head, blocks } = await withHead(bytes);
    try {
      const isUtf8 = isRejects(head) || (mayBeUtf8 && isWideUtf8(head));
      yield* isUtf8 ? blocks : toUtf8(input.name, blocks, encoding);
    } finally {
      await blocks.return(undefined);
    }
  });
}

const isRejects = (head: Uint8Array) => rejects.test(headText(head));
const rejects = new RegExp(String.raw`^[\s[{]*"${rejectedKey}"`);

/** Reports whether the bytes are UTF-8 with characters beyond ASCII. */
const isWideUtf8 = (head: Uint8Array) => (strictDecoder()(head)?.length ?? Infinity) < head.length;
