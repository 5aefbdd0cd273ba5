/** Keeps passwords out of core dumps where the process can, and warns where it cannot. */
import { readFileSync } from 'node:fs';

/** Reports of Node have no passwords, but the command line and the environment. */
export function switchReportsOff(): void {
  const { report } = process;
  report.reportOnFatalError = false;
  report.reportOnUncaughtException = false;
  report.reportOnSignal = false;
}

/** Whether the system may write the memory of this process into a file when it crashes; Linux alone says so. */
export function mayDumpCore(limitsFile = '/proc/self/limits'): boolean {
  try {
    return allowsCores(readFileSync(limitsFile, 'utf8'));
  } catch {
    return false;
  }
}

/** proc(5): the name of the limit, the soft one, the hard one, the unit. */
function allowsCores(limits: string): boolean {
  const [, soft = '0'] = /^Max core file size\s+(\S+)/m.exec(limits) ?? [];
  return soft !== '0';
}
