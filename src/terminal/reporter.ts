/** Chooses how a run is shown: live, as plain lines, for GitHub Actions, quiet or as JSON. */
import type { Emit } from '../events.ts';
import type { Clock } from '../lib/clock.ts';
import { createPaint, noPaint, wantsColor } from './paint.ts';
import { type Listener, type Shown, withState } from './run-state.ts';
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
  const paint = colored ? await createPaint() : noPaint;
  const width = lineWidth(stderr.columns);
  if (options.quiet) return (await import('./quiet.ts')).createQuiet(print, width, paint);
  const choose = async (): Promise<Listener> => {
    const output = { print, width, paint, summarize: options.summarize };
    if (options.env['GITHUB_ACTIONS'] === 'true') return (await import('./github.ts')).createGithub(output);
    if (!options.interactive) return (await import('./plain.ts')).createPlain(output);
    const [{ createLive }, { openScreen }] = await Promise.all([import('./live.ts'), import('./screen.ts')]);
    return createLive(openScreen(stderr, colored), paint);
  };
  return keepMoving(withState(await choose(), clock), clock);
}

/** Between two looks at the time where nothing else happens. */
const betweenTicksMs = 1000;

/** After these a run has begun, or waits before it begins. */
const beginnings = new Set<string>(['run:start', 'run:waiting']);
/** After these a moving line would stand in the way. */
const ends = /^(?:\w+:end|output:closed|problem)$/;

/** Tells the listener of the time while a run goes on, so that a silent wait does not look like a standstill. */
function keepMoving(listener: (event: Shown) => void, clock: Clock): Emit {
  let ticking: AbortController | undefined;
  const tick = async ({ signal }: AbortController): Promise<void> => {
    while (!signal.aborted) {
      await clock.sleep(betweenTicksMs, undefined, { background: true });
      if (!signal.aborted) listener({ type: 'tick' });
    }
  };
  return (event) => {
    if (ends.test(event.type)) {
      ticking?.abort();
      ticking = undefined;
    }
    listener(event);
    if (ticking !== undefined || !beginnings.has(event.type)) return;
    ticking = new AbortController();
    void tick(ticking);
  };
}

/** Drops progress that follows too soon on other progress. */
function calm(listener: Emit, clock: Pick<Clock, 'monotonic'>): Emit {
  let lastAt = Number.NEGATIVE_INFINITY;
  return (event) => {
    // A bulk import tells of few requests, and of none twice.
    if (event.type === 'run:progress' && event.entries === undefined) {
      const now = clock.monotonic();
      if (now - lastAt < betweenProgressMs) return;
      lastAt = now;
    }
    listener(event);
  };
}
