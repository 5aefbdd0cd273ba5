/** Which process this is, so that another one can tell whether it still runs: process ids alone repeat. */
import * as fs from 'node:fs';
import { hostname } from 'node:os';

export type ProcessName = ReturnType<typeof nameThisProcess>;

/** A name is empty where the system does not tell it. */
export function nameThisProcess() {
  return {
    host: hostname(),
    /** Of the running kernel: another one after each start of the machine. */
    boot: readOrEmpty(() => fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    /** Process ids are counted in each PID namespace: every container has a process 1. */
    namespace: readOrEmpty(() => fs.readlinkSync('/proc/self/ns/pid')),
    pid: process.pid,
    /** Since the start of the machine, in ticks: a process id is used again. */
    started: readStat(process.pid)?.started ?? '',
  };
}

/** Whether the process ids of both mean the same processes. */
export function isSamePlace(one: ProcessName, other: ProcessName): boolean {
  return one.host === other.host && one.boot === other.boot && one.namespace === other.namespace;
}

/** Whether this very process still runs; to be asked only in the place that it names. */
export function isRunning({ pid, started }: Pick<ProcessName, 'pid' | 'started'>): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  const found = readStat(pid);
  if (found === undefined) return true;
  return !found.ended && (started === '' || started === found.started);
}

/** Undefined where the system does not tell. A process that has ended stays until its parent has asked for its result. */
function readStat(pid: number) {
  const text = readOrEmpty(() => fs.readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // The name of the program is in parentheses and may contain any character.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state = '', started] = [fields[0], fields[19]];
  return started === undefined ? undefined : { started, ended: /[ZXx]/.test(state) };
}

function readOrEmpty(read: () => string) {
  try {
    return read();
  } catch {
    return '';
  }
}
