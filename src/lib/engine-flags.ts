/** How V8 is to work in a process that makes much, keeps little and ends soon: for its start. */
import { setFlagsFromString } from 'node:v8';

/** Those that this V8 knows: it prints an error for any other. */
export const engineFlags: readonly string[] = [
  // Young objects get no more room than they have at the start, about 2 MB, where V8 would go up to 32 MB. What a
  // conversion makes is dead at once: so this takes no time, and saves 10 to 20 MB.
  '--semi-space-growth-factor=1',
  // Functions are compiled for speed once they have run six times as long as V8 would wait. Most of what it compiles
  // before then runs for a moment only, and compiling takes the time of the threads that convert. From Node 22 on it
  // waits longer by itself.
  ...(Number.parseInt(process.versions.v8, 10) < 12 ? ['--interrupt-budget=400000'] : []),
];

let isSet = false;

/** It holds for the whole process. */
export function setEngineFlags(): void {
  isSet = true;
  for (const flag of engineFlags) setFlagsFromString(flag);
}

/** To be called when another thread is at work: while it starts, Node sets the flags of V8 anew. */
export function threadIsAtWork(): void {
  if (isSet) setEngineFlags();
}
