/** Ends a running command at a given moment. */
import type { ChildProcess } from 'node:child_process';
import { statSync } from 'node:fs';

export interface KillMoment {
  readonly signal: NodeJS.Signals;
  /** As soon as this file is longer than so many bytes; from the start of the process when absent. */
  readonly file?: string;
  readonly bytes?: number;
  /** And so many milliseconds more. */
  readonly after?: number;
}

/** For `meanwhile` of `runProcess`. A process that ends by itself is left alone. */
export function endAt({ signal, file, bytes = 0, after = 0 }: KillMoment): (child: ChildProcess) => void {
  return (child) => {
    const end = (): boolean => child.kill(signal);
    const look = (): void => {
      const size = file === undefined ? 0 : (statSync(file, { throwIfNoEntry: false })?.size ?? -1);
      if (file !== undefined && size <= bytes) timer = setTimeout(look, 1);
      else if (after > 0) timer = setTimeout(end, after);
      else end();
    };
    let timer = setTimeout(look, 1);
    child.once('exit', () => clearTimeout(timer));
  };
}
