/** Chooses how a run is shown: live, as plain lines (also on a dumb terminal), for GitHub Actions, quiet or as JSON. */
import type { Emit } from '../events.ts';
import type { Clock } from '../lib/clock.ts';
import { type ColorChoice, createPaint, noPaint, wantsColor } from './paint.ts';
import { type Shown, withState } from './run-state.ts';
import type { TerminalStream } from './live.ts';
import { lineWidth } from './text.ts';

export interface ReporterOptions extends ColorChoice {
  readonly stderr: TerminalStream;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly clock: Clock;
  /** Adds Markdown to the summary of a step in GitHub Actions. */
  readonly summarize?: ((markdown: string) => void) | undefined;
}

const betweenProgressMs = 100;

/** Loads only the listener that is used, because the changing line needs a library that takes time to load. */
export async function chooseReporter(options: ReporterOptions) {
  return throttle(await createListener(options), options.clock);
}

async function createListener(options: ReporterOptions) {
  const { stderr, clock } = options;
  const colored = wantsColor(options);
  const print = (lines: readonly string[]) => {
    if (lines.length > 0) stderr.write(`${lines.join('\n')}\n`);
  };
  if (options.json) return (await import('./json.ts')).createJson(print, clock);
  const paint = colored ? await createPaint() : noPaint;
  const width = lineWidth(stderr.columns);
  if (options.quiet) return (await import('./quiet.ts')).createQuiet(print, width, paint);
  const choose = async () => {
    const output = { print, width, paint, summarize: options.summarize };
    if (options.env['GITHUB_ACTIONS'] === 'true') return (await import('./plain.ts')).createGithub(output);
    if (!options.interactive || options.env['TERM'] === 'dumb')
      return (await import('./plain.ts')).createPlain(output);
    // Node 20.18 warns of it when it loads ora.
    silenceNode(process, 'Importing JSON modules');
    const { createLive, openScreen } = await import('./live.ts');
    return createLive(openScreen(stderr, colored), paint);
  };
  return withTicks(withState(await choose(), clock), clock);
}

const betweenTicksMs = 1000;

/** Events that start the ticks. */
const beginnings = new Set<string>(['run:start', 'run:waiting']);
/** Events that end the ticks, because a changing line would get between the lines that follow. */
const ends = /^(?:\w+:end|output:closed|problem)$/;

/** Sends a tick each second while a run goes on, so that a silent wait does not look stuck. */
function withTicks(listener: (event: Shown) => void, clock: Clock): Emit {
  let ticking: AbortController | undefined;
  const tick = async ({ signal }: AbortController) => {
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

/** Drops progress events that come too close together. */
function throttle(listener: Emit, clock: Clock): Emit {
  let lastAt = -Infinity;
  return (event) => {
    // A bulk import has few progress events.
    if (event.type === 'run:progress' && event.entries === undefined) {
      const now = clock.monotonic();
      if (now - lastAt < betweenProgressMs) return;
      lastAt = now;
    }
    listener(event);
  };
}

/** Prints the warnings of Node: `process`. */
interface Warner {
  emitWarning(warning: string | Error, ...more: never[]): void;
}

/** Warns only once that certificates are not checked. Otherwise each connection, and Node itself, would repeat the warning. */
export function warnOfTlsOnce(emit: Emit, node: Warner): Emit {
  let said = false;
  return (event) => {
    if (event.type === 'notice' && event.code === 'api:tls-not-verified') {
      if (said) return;
      said = true;
      silenceNode(node, 'Setting the NODE_TLS_REJECT_UNAUTHORIZED');
    }
    emit(event);
  };
}

/** Suppresses a warning of Node that does not say what to do. */
function silenceNode(node: Warner, beginning: string) {
  const emitWarning = node.emitWarning.bind(node);
  node.emitWarning = (warning, ...more) => {
    if (!String(warning).startsWith(beginning)) emitWarning(warning, ...more);
  };
}
