/** A remark about the run as a whole, on its way to whoever listens. */
import type { CommandContext } from '../context.ts';

export function notice(
  { emit }: CommandContext,
  level: 'info' | 'warning',
  code: string,
  text: string,
): void {
  emit({ type: 'notice', level, code, text });
}
