/** The few colors of this program, or none. */

export interface ColorChoice {
  /** False after `--no-color`. */
  readonly color: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** True if a user watches stderr: a terminal, and not a CI job. */
  readonly interactive: boolean;
}

/**
 * Decides in this order, as Node does: `--no-color`, FORCE_COLOR (`0` and `false` mean no), a non-empty NO_COLOR, the terminal.
 */
export function wantsColor(choice: ColorChoice) {
  if (!choice.color) return false;
  const { FORCE_COLOR: force, NO_COLOR: no, TERM: term } = choice.env;
  if (force !== undefined) return force !== '0' && force !== 'false';
  if (no !== undefined && no !== '') return false;
  return choice.interactive && term !== 'dumb';
}

const plain = (text: string) => text;

export const noPaint = { title: plain, faint: plain, good: plain, warning: plain, bad: plain };

/** Painters of text by meaning, so that only this file names colors. */
export type Paint = typeof noPaint;

/** Loads chalk only if colors are used, because that takes a quarter of the time that Node needs to start. */
export async function createPaint(): Promise<Paint> {
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level: 1 });
  // Each function takes one argument, because chalk prints every argument and `map` passes three.
  return {
    title: (text) => chalk.bold(text),
    faint: (text) => chalk.dim(text),
    good: (text) => chalk.green(text),
    warning: (text) => chalk.yellow(text),
    bad: (text) => chalk.red(text),
  };
}
