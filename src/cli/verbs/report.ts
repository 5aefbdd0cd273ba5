/** `idport report`: joins the reports of a cutover into one page. */
import type { ReportPageFlags } from '../../commands/report.ts';
import type { DeclareVerb } from '../verb.ts';

export const declareReport: DeclareVerb = (program, dispatch) => {
  program
    .command('report')
    .description('join the reports of one cutover into a page that opens in any browser')
    .argument('<report...>', 'report files (.json) of migrate, check, import, import-users, verify, undo')
    .requiredOutput('--output <file>', 'the page (.html)')
    .examples(
      'idport report migrate.json check.json import.json verify.json --output=cutover.html',
      'idport report *.html.json --output=cutover.html',
    )
    .action((reports: readonly string[], options: Omit<ReportPageFlags, 'reports'>) =>
      dispatch(async () => (await import('../../commands/report.ts')).report, { ...options, reports }),
    );
};
