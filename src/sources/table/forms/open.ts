/** Opens a file as rows, by what is in it. */
import { withHead } from '../../../lib/head.ts';
import { openCsv } from './csv.ts';
import type { FormName, FormRequest, OpenRows } from './form.ts';
import { openJson } from './json.ts';
import { openLdif } from './ldif.ts';
import { headBytes, recogniseForm } from './recognise.ts';
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

/** Throws `InputError` or `UsageError` for what cannot be read. Close it, unless its batches were read to the end. */
export async function openRows(request: Omit<FormRequest, 'head' | 'blocks'>): Promise<OpenedRows> {
  const bytes = request.input.blocks();
  const { head, blocks } = await withHead(
    request.source.encoding === 'latin1' ? fromLatin1(bytes) : bytes,
    headBytes,
  );
  const close = async (): Promise<void> => {
    await blocks.return(undefined);
  };
  try {
    const form = request.source.format ?? recogniseForm(request.input.name, head);
    return { form, head, close, ...(await openers[form]({ ...request, head, blocks })) };
  } catch (error) {
    await close();
    throw error;
  }
}

/** As Windows writes it, with the euro sign. */
async function* fromLatin1(blocks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder('windows-1252');
  const encoder = new TextEncoder();
  for await (const block of blocks) yield encoder.encode(decoder.decode(block));
}
