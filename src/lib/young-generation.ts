/** How much room V8 gives to young objects: for the start of a process that makes much and keeps little. */
import { setFlagsFromString } from 'node:v8';

let isKeptSmall = false;

/**
 * They get no more room than they have now, about 2 MB at the start, where V8 would go up to 32 MB. What a conversion
 * makes is dead at once: so this takes no time, and saves 10 to 20 MB. It holds for the whole process.
 */
export function keepYoungGenerationSmall(): void {
  isKeptSmall = true;
  setFlagsFromString('--semi-space-growth-factor=1');
}

/** To be called when another thread is at work: while it starts, Node sets the flags of V8 anew. */
export function threadIsAtWork(): void {
  if (isKeptSmall) keepYoungGenerationSmall();
}
