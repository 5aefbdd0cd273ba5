/** Opens a file as rows, by what is in it. */
import { withHead } from '../../../lib/head.ts';
import { openCsv } from './csv.ts';
import { toUtf8 } from './encoding.ts';
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
  const { encoding = 'utf8' } = request.source;
  const text = encoding === 'utf8' ? bytes : toUtf8(request.input.name, bytes, encoding);
  const { head, blocks } = await withHead(text, headBytes);
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
