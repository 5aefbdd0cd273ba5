/** Identifies this process, so that another one can tell whether it still runs. Process ids alone are reused. */
import * as fs from 'node:fs';
import { hostname } from 'node:os';

export type ProcessName = ReturnType<typeof nameThisProcess>;

/** A field is empty if the system does not provide it. */
export function nameThisProcess() {
  return {
    host: hostname(),
    /** Id of the running kernel, which is different after each start of the machine. */
    boot: readOrEmpty(() => fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    /** PID namespace in which process ids are counted: every container has a process 1. */
    namespace: readOrEmpty(() => fs.readlinkSync('/proc/self/ns/pid')),
    pid: process.pid,
    /** Start of the process in ticks since the start of the machine, because process ids are reused. */
    started: readStat(process.pid)?.started ?? '',
  };
}

/** Reports whether process ids mean the same processes in both. */
export function isSamePlace(one: ProcessName, other: ProcessName) {
  return one.host === other.host && one.boot === other.boot && one.namespace === other.namespace;
}

/** Reports whether exactly this process still runs. Only valid in the place that it names. */
export function isRunning({ pid, started }: Pick<ProcessName, 'pid' | 'started'>) {
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

/** Returns undefined if the system does not tell. A process that has ended stays until its parent has asked for its result. */
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
