/**
 * Writes a run as log lines, with progress once a minute. In GitHub Actions: a group, annotations for users who are not written,
 * and a summary of the step.
 */
import type { WaitReason } from '../events.ts';
import { formatStart, formatEvent, formatRejection, shownRejections, formatProblem } from './format-event.ts';
import { type Paint, noPaint } from './paint.ts';
import { formatProgress } from './progress.ts';
import type { Listener, RunState, Shown } from './run-state.ts';
import { ExitCode } from '../errors.ts';
import { markdownTable } from '../lib/markdown.ts';

const betweenLinesMs = 60_000;

interface PlainOutput {
  readonly print: (lines: readonly string[]) => void;
  readonly width: number;
  readonly paint: Paint;
}

/** `own` may show an event in its own way. It returns whether it did. */
export function createPlain(
  { print, width, paint }: PlainOutput,
  own: (event: Shown, state: RunState) => boolean = () => false,
): Listener {
  let lastLineAt: number | undefined;
  /** When each reason to wait was last shown. */
  let toldWaits: Partial<Record<WaitReason, number>> = {};

  return (event, state, now) => {
    switch (event.type) {
      case 'run:start':
        lastLineAt = now;
        toldWaits = {};
        if (!own(event, state)) print([formatStart(event)]);
        break;
      case 'run:progress':
      case 'tick':
        if (now - (lastLineAt ?? state.startedAt) < betweenLinesMs) break;
        lastLineAt = now;
        print([formatProgress(state, now)]);
        break;
      case 'run:waiting':
        // The first wait for a reason is shown at once.
        if (now - (toldWaits[event.reason] ?? -Infinity) < betweenLinesMs) break;
        toldWaits[event.reason] = now;
        lastLineAt = now;
        print([formatProgress(state, now)]);
        break;
      default:
        if (!own(event, state)) print(formatEvent(event, state, width, paint) ?? []);
    }
  };
}

interface GithubOutput extends PlainOutput {
  /** Adds Markdown to the summary of the step. Undefined if there is no summary. */
  readonly summarize: ((markdown: string) => void) | undefined;
}

export function createGithub({ print, summarize, width, paint }: GithubOutput): Listener {
  const printText = (lines: readonly string[]) => print(lines.map(defuse));
  let isOpen = false;
  let rejections: string[] = [];
  const own = (event: Shown, { rejected }: RunState) => {
    if (event.type === 'run:start') {
      print([workflowCommand('group', formatStart(event))]);
      isOpen = true;
      return true;
    }
    if (event.type === 'record:rejected' && rejected <= shownRejections) {
      const text = formatRejection(event, Infinity).join(' ');
      rejections.push(text);
      print([workflowCommand('error', text, 'User not written')]);
      return true;
    }
    if (event.type === 'problem' && event.exitCode !== ExitCode.interrupted) {
      const text = formatProblem(event, Infinity).join('\n');
      print([workflowCommand('error', text.replace(/^error: /, ''), 'idport')]);
      return true;
    }
    return false;
  };
  const plain = createPlain({ print: printText, width, paint }, own);

  return (event, state, now) => {
    const ending = endings.includes(event.type)
      ? formatEvent(event, state, summaryWidth, noPaint)
      : undefined;
    if (isOpen && (event.type === 'run:start' || ending !== undefined)) {
      print(['::endgroup::']);
      isOpen = false;
    }
    plain(event, state, now);
    if (event.type === 'run:facts') {
      summarize?.(`${markdownTable('The run', ['', ''], event.facts).slice(2).join('\n')}\n`);
    }
    if (ending === undefined) return;
    summarize?.(toMarkdown(state.verb, [...rejections, ...ending]));
    rejections = [];
  };
}

const summaryWidth = 100;

const endings = ['run:end', 'export:end', 'verify:end', 'undo:end', 'problem'];

/** Returns `::error title=…::…`, escaped so that no text of an export ends the command or begins another one. */
export function workflowCommand(name: 'group' | 'error', text: string, title?: string) {
  const properties =
    title === undefined ? '' : ` title=${escapeData(title).replaceAll(':', '%3A').replaceAll(',', '%2C')}`;
  return `::${name}${properties}::${escapeData(text)}`;
}

function escapeData(text: string) {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

/** Makes a line harmless: the runner takes lines that begin with `::`, and `##[` anywhere in a line, as commands. */
export function defuse(line: string) {
  return line.replaceAll('##[', '## [').replace(/^(\s*):(?=:)/, '$1: ');
}

/** Returns a code block whose fence no text of an export can close. */
export function toMarkdown(verb: string, lines: readonly string[]) {
  const text = lines.join('\n').trim();
  const ticks = (text.match(/`+/g) ?? []).map(({ length }) => length);
  const fence = '`'.repeat(Math.max(2, ...ticks) + 1);
  return `### idport${verb === '' ? '' : ` ${verb}`}\n\n${fence}text\n${text}\n${fence}\n\n`;
}
