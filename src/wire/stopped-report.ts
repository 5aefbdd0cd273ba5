/** The file that `--report <file>.json` writes where a run ends before it has anything to report: the shape that programs may rely on. */
import { z } from 'zod';
import { runFacts } from './run-facts.ts';

export const stoppedReportFile = z.object({
  format: z.literal('idport-stopped-report'),
  version: z.literal(1),
  verb: z.string(),
  startedAt: z.iso.datetime(),
  /** Always empty: nothing is said of any user. */
  users: z.array(z.never()),
  /** Why the run ended, and what to do. */
  stopped: z.string(),
  hint: z.string().optional(),
  exitCode: z.int().nonnegative(),
  seconds: z.number().nonnegative(),
  run: runFacts.optional(),
});
