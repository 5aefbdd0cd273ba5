/** `idport report`: joins the reports of a cutover into one page. */
import { note, warning, fileWritten } from '../events.ts';
import { formatCounted } from '../lib/format.ts';
import { extname } from 'node:path';
import { UsageError } from '../errors.ts';
import { writePage } from '../flows/page/write-page.ts';
import { openInputs } from '../storage/open-input.ts';
import type { reportPageFlags, reportArgument } from '../flags/others.ts';
import type { Action } from './context.ts';
import { requireRepeatable } from '../lib/input.ts';

export const report: Action<typeof reportPageFlags & typeof reportArgument> = async (
  { reports, output },
  context,
) => {
  const { emit } = context;
  if (output !== '-' && extname(output).toLowerCase() !== '.html') {
    throw new UsageError(`--output ${output}: the name of a page must end in .html`);
  }
  for (const name of reports) {
    const ending = extname(name).toLowerCase();
    if (ending !== '.md' && ending !== '.html') continue;
    throw new UsageError(
      `${name} is not a report in JSON`,
      ending === '.html'
        ? `Its report is next to it: ${name}.json.`
        : 'Run each step with a report that ends in .json, and give those files here.',
    );
  }
  const inputs = openInputs(reports, context);
  requireRepeatable(inputs);
  context.outputs.reads(inputs);
  const sink = context.outputs.open(output);
  const { warnings } = await writePage(inputs, sink);
  await sink.commit();
  for (const text of warnings) emit(warning('report:differs', text));
  const text = `${sink.name} is a page of ${formatCounted(reports.length, 'report')}: open it in a browser.`;
  emit(note('report:page', text));
  emit(fileWritten(sink, 'report'));
};
