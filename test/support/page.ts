/** Reads a page's blocks of commands with the screens that it shows after them, and what a run leaves on the screen. */
import type { IdportEvent } from '../../src/events.ts';
import { noPaint } from '../../src/terminal/paint.ts';
import { createGithub, createPlain } from '../../src/terminal/plain.ts';
import { withState } from '../../src/terminal/run-state.ts';
import { createFakeClock } from './clock.ts';
import type { Ran } from './workspace.ts';
import { idportCommandsIn } from './shell.ts';
import { encodeEvent } from '../../src/terminal/json.ts';

export interface Step {
  readonly commands: readonly (readonly string[])[];
  /** Lines that must stand on the screen of these commands. */
  readonly shown: readonly string[];
}

/** What is in each block of this language. */
export const blocksIn = (page: string, language = '\\w+') =>
  Array.from(page.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, 'gm')), ([, code = '']) => code);

/** From `sh` blocks, and the `text` blocks below them. */
export function stepsOf(page: string) {
  const steps: { commands: string[][]; shown: string[] }[] = [];
  for (const [, language, code = ''] of page.matchAll(/^```(sh|text)\n([^]*?)^```$/gm)) {
    if (language === 'sh') steps.push({ commands: idportCommandsIn(code), shown: [] });
    else steps.at(-1)?.shown.push(...code.trimEnd().split('\n'));
  }
  return steps;
}

/**
 * What a run has left on the screen, standard output first; however the lines were broken, and however long it took.
 */
export function screenOf({ stdout, events }: Ran) {
  return steady(`${stdout} ${linesOf(events).join(' ')}`);
}

/** The lines of a log, while no time passes. */
export function linesOf(events: readonly IdportEvent[], width = 80) {
  const lines: string[] = [];
  const output = { print: (added: readonly string[]) => lines.push(...added), width, paint: noPaint };
  const emit = withState(createPlain(output), createFakeClock());
  for (const event of events) emit(event);
  return lines;
}

/** What GitHub Actions gets: the lines of the log, and the summary of the step. */
export function githubOf(events: readonly IdportEvent[], width = 80) {
  const printed: string[] = [];
  let summary = '';
  const listener = createGithub({
    print: (lines) => printed.push(...lines),
    summarize: (markdown) => (summary += markdown),
    width,
    paint: noPaint,
  });
  const emit = withState(listener, createFakeClock());
  for (const event of events) emit(event);
  return { printed, summary };
}

/** The lines of a step that are not on the screen. */
export function notShown({ shown }: Step, screen: string) {
  return shown.filter((line) => !screen.includes(steady(line)));
}

function steady(text: string) {
  return text
    .replace(/\s+/g, ' ')
    .replace(/\b[\d.]+ m?s\b/g, 'no time')
    .trim();
}

export function showEverything({ events, problem }: Ran) {
  const all = [...events, ...(problem ? [problem] : [])];
  const encoded = all.map((event) => encodeEvent(event, { time: '', at: 0 }));
  return [...linesOf(all, 100), ...encoded].join('\n');
}
