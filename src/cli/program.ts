/** Runs a command line: reads it, adds what a configuration file says, and carries out the verb. */
import type { Action, CommandContext } from '../commands/context.ts';
import type { RunVerb } from '../commands/demo-steps.ts';
import { type ExitCode, IdportError } from '../errors.ts';
import type { Emit } from '../events.ts';
import { note } from '../events.ts';
import { readFlags } from '../lib/flag.ts';
import { fitAdvice } from './advice.ts';
import { addSettings, type Surroundings } from './config/settings.ts';
import { filesRead } from './files-read.ts';
import { checkLine, type Line, parseLine, rawOf, refuseUnread, verbOf } from './line.ts';
import { describeVerb, type VerbShape } from './shape.ts';
import { typedLine } from './typed-line.ts';
import type { Raw } from './verb.ts';
import { tree } from './verbs/index.ts';

let shape: VerbShape | undefined;

/** All verbs; described once, for they do not change. */
export const programShape = (): VerbShape => (shape ??= describeVerb(tree));

/** Never throws; what is wrong is the `problem` of the line. Without `surroundings` no configuration file is looked for. */
export async function readLine(argv: readonly string[], surroundings?: Surroundings): Promise<Line> {
  const program = programShape();
  try {
    const line = parseLine(await withSource(argv, surroundings), program);
    if (line.asks !== undefined || line.problem !== undefined) return line;
    return await complete(line, surroundings).then(
      () => line,
      (problem: unknown) => ({ ...line, problem }),
    );
  } catch (problem) {
    return { ...parseLine(argv, program), asks: undefined, problem };
  }
}

async function withSource(
  argv: readonly string[],
  surroundings: Surroundings | undefined,
): Promise<readonly string[]> {
  if (!argv.includes('migrate') || argv.includes('help')) return argv;
  const { withNamedFlags } = await import('../commands/init-exports.ts');
  return withNamedFlags(argv, { cwd: surroundings?.cwd ?? process.cwd() });
}

async function complete(line: Line, surroundings: Surroundings | undefined): Promise<void> {
  if (surroundings !== undefined) await addSettings(line, surroundings);
  // Settings are shown as far as they go.
  if (!line.given.has('printConfig')) checkLine(line);
  refuseUnread(line);
}

/** Throws what is wrong with the line, and what its verb throws. */
export async function runLine(line: Line, context: CommandContext, version = ''): Promise<ExitCode> {
  if (line.problem !== undefined) throw line.problem;
  if (line.given.has('printConfig')) {
    const { printConfig, showConfig } = await import('./config/show.ts');
    return printConfig(showConfig(line, context.env), context);
  }
  const run: RunVerb = async (argv, context) => runLine(await readLine(argv), context);
  const verb = verbOf(line);
  const action = (await verb.load!(run)) as Action<object>;
  const raw = rawOf(line);
  const known: Action<Raw> = withCall((raw, context) => action(readFlags(verb.table, raw), context), line);
  const report = raw['report'] as string | undefined;
  const isReported = report !== undefined || context.env['GITHUB_STEP_SUMMARY'] !== undefined;
  if (!isReported || !('report' in verb.table)) return known(raw, context);
  // What records a run is loaded only where someone reads of it.
  const { withRecord } = await import('../commands/record-run.ts');
  return withRecord(known, { version, command: typedLine(line) }, report)(raw, context);
}

/** The same command; it knows how it was called, and its errors advise only what its verb can do. */
function withCall(action: Action<Raw>, line: Line): Action<Raw> {
  const { path, config, given } = line;
  const flags = verbOf(line).flags.flatMap(({ attribute, long }) => (given.has(attribute) ? [long] : []));
  return async (raw, context) => {
    const emit: Emit = (event) => context.emit(event.type === 'run:start' ? { ...event, flags } : event);
    const inUse = [...(context.inUse ?? []), ...filesRead(line, context.env)];
    if (config !== undefined) {
      const { name, file, used } = config;
      if (used.length > 0) context.emit(note('config:used', `${name} gives ${used.join(', ')}`));
      inUse.push({ what: 'the configuration file', path: file });
    }
    const opened: (() => Promise<void>)[] = [];
    const onEnd = (close: () => Promise<void>): void => void opened.push(close);
    const called = { given: flags, typed: typedLine(line), json: given.get('json')?.value === true };
    try {
      return await action(raw, { ...context, emit, inUse, ...called, onEnd });
    } catch (error) {
      if (error instanceof IdportError && error.hint !== undefined) error.hint = fitAdvice(error.hint, path);
      throw error;
    } finally {
      for (const close of opened) await close();
    }
  };
}
