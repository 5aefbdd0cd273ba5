/** The report files of all verbs, by the `format` that stands in them. */
import { z } from 'zod';
import { importReportFile, reportedEntry } from './import-report.ts';
import { reportedUser as convertedUser, reportFile } from './report.ts';
import { stoppedReportFile } from './stopped-report.ts';
import { keptUser, undoReportFile } from './undo-report.ts';
import { reportedUser as comparedUser, verifyReportFile } from './verify-report.ts';

/** `list` is the key of the users, `item` the shape of one. */
export const reportFormats = {
  'idport-report': { file: reportFile, list: 'users', item: convertedUser },
  'idport-import-report': { file: importReportFile, list: 'entries', item: reportedEntry },
  'idport-verify-report': { file: verifyReportFile, list: 'users', item: comparedUser },
  'idport-undo-report': { file: undoReportFile, list: 'users', item: keptUser },
  'idport-stopped-report': { file: stoppedReportFile, list: 'users', item: z.never() },
} as const;
