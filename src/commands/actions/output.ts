/** Writes the notices of the `actions` commands. */
import type { CommandContext } from '../context.ts';

export function notify(
  { emit }: CommandContext,
  level: 'info' | 'warning',
  code: string,
  text: string,
): void {
  emit({ type: 'notice', level, code, text });
}
