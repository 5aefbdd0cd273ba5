/** Chooses how a run is shown: live, as plain lines, for GitHub Actions, quiet or as JSON. */
import type { Emit } from '../events.ts';
import type { Clock } from '../lib/clock.ts';
import { createPaint, wantsColor } from './paint.ts';
import type { TerminalStream } from './screen.ts';
import { lineWidth } from './text.ts';

export interface ReporterOptions {
  readonly stderr: TerminalStream;
  /** True where a user watches stderr: a terminal, and not a CI job. */
  readonly interactive: boolean;
  readonly json: boolean;
  readonly quiet: boolean;
  /** False after `--no-color`. */
  readonly color: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Adds Markdown to the summary of a step in GitHub Actions. */
  readonly summarize?: ((markdown: string) => void) | undefined;
}

/** Progress is drawn at most this often, however often it is emitted. */
const betweenProgressMs = 100;

/** Loads only the listener that is used: the moving line brings a library that takes time to load. */
export async function chooseReporter(options: ReporterOptions): Promise<Emit> {
  return calm(await createListener(options), options.clock);
}

async function createListener(options: ReporterOptions): Promise<Emit> {
  const { stderr, clock } = options;
  const colored = wantsColor(options);
  const print = (lines: readonly string[]): void => {
    if (lines.length > 0) stderr.write(`${lines.join('\n')}\n`);
  };
  if (options.json) return (await import('./json.ts')).createJson(print, clock);
  const paint = createPaint(colored);
  const width = lineWidth(stderr.columns);
  if (options.quiet) return (await import('./quiet.ts')).createQuiet(print, width, paint);
  if (options.env['GITHUB_ACTIONS'] === 'true') {
    const { summarize } = options;
    return (await import('./github.ts')).createGithub({ print, summarize, width, paint }, clock);
  }
  if (!options.interactive) return (await import('./plain.ts')).createPlain({ print, width, paint }, clock);
  const [{ createLive }, { openScreen }] = await Promise.all([import('./live.ts'), import('./screen.ts')]);
  return createLive(openScreen(stderr, colored), clock, paint);
}

/** Drops progress that follows too soon on other progress. */
function calm(listener: Emit, clock: Pick<Clock, 'monotonic'>): Emit {
  let lastAt = Number.NEGATIVE_INFINITY;
  return (event) => {
    if (event.type === 'run:progress') {
      const now = clock.monotonic();
      if (now - lastAt < betweenProgressMs) return;
      lastAt = now;
    }
    listener(event);
  };
}
