/** The few colors of this program, or none. */
import { Chalk, type ColorSupportLevel } from 'chalk';

export interface ColorChoice {
  /** False after `--no-color`. */
  readonly color: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** True where a user watches. */
  readonly interactive: boolean;
}

/** What text may be marked as: meanings, so that nothing else in terminal/ names a color. */
export interface Paint {
  readonly title: (text: string) => string;
  readonly faint: (text: string) => string;
  readonly good: (text: string) => string;
  readonly warning: (text: string) => string;
  readonly bad: (text: string) => string;
}

/**
 * `--no-color` wins, then FORCE_COLOR (`0` and `false` mean no), then NO_COLOR where it is not empty, then the
 * terminal: the order that Node itself keeps.
 */
export function wantsColor(choice: ColorChoice): boolean {
  if (!choice.color) return false;
  const { FORCE_COLOR: force, NO_COLOR: no, TERM: term } = choice.env;
  if (force !== undefined) return force !== '0' && force !== 'false';
  if (no !== undefined && no !== '') return false;
  return choice.interactive && term !== 'dumb';
}

export function createPaint(colored: boolean): Paint {
  const level: ColorSupportLevel = colored ? 1 : 0;
  const chalk = new Chalk({ level });
  return {
    title: (text) => chalk.bold(text),
    faint: (text) => chalk.dim(text),
    good: (text) => chalk.green(text),
    warning: (text) => chalk.yellow(text),
    bad: (text) => chalk.red(text),
  };
}

export const noPaint: Paint = createPaint(false);
