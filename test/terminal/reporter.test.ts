import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { IdportEvent } from '../../src/events.ts';
import { chooseReporter, type ReporterOptions } from '../../src/terminal/reporter.ts';
import { createFakeClock } from '../support/clock.ts';
import { exampleRun } from '../support/events.ts';

async function hear(
  options: Partial<ReporterOptions>,
  events: readonly IdportEvent[] = exampleRun.map(([, event]) => event),
): Promise<string> {
  const stderr = Object.assign(new PassThrough(), { columns: 60 });
  const emit = await chooseReporter({
    stderr,
    interactive: false,
    json: false,
    quiet: false,
    color: true,
    env: {},
    clock: createFakeClock(),
    ...options,
  });
  for (const event of events) emit(event);
  return String(stderr.read() ?? '');
}

describe('the listener that is chosen', () => {
  it('writes events for --json, also at a terminal', async () => {
    const lines = (await hear({ json: true, interactive: true })).trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { type: string }).type)).toContain('run:end');
  });

  it('is nearly silent for --quiet', async () => {
    expect(await hear({ quiet: true })).toBe('warning: the realm half only\n2 of 1,000 users rejected\n');
  });

  it('writes plain lines where no one watches, without any escape code', async () => {
    const text = await hear({});
    expect(text).toContain('idport migrate keycloak: realm.json (1 MB)');
    expect(text).not.toContain('\u001b');
  });

  it('writes groups and a summary in GitHub Actions, but not where it is to be quiet or to write events', async () => {
    const env = { GITHUB_ACTIONS: 'true' };
    let summary = '';
    const summarize = (markdown: string): void => void (summary += markdown);
    expect(await hear({ quiet: true, env, summarize })).not.toContain('::');
    expect(await hear({ json: true, env, summarize })).not.toContain('::');
    expect(summary).toBe('');
    expect(await hear({ env, summarize })).toContain('::group::idport migrate keycloak: realm.json (1 MB)\n');
    expect(summary).toContain('1,000 users read');
  });

  it('colors plain lines only when forced to', async () => {
    expect(await hear({ env: { FORCE_COLOR: '1' } })).toContain('\u001b[33mwarning: \u001b[39m');
  });

  it('draws for a user, and leaves no escape code with --no-color beside the moving line', async () => {
    const text = await hear({ interactive: true, color: false });
    expect(text).toContain('1,000 users read');
    expect(text).not.toContain('\u001b[3');
  });

  it('passes on at most ten progress events a second', async () => {
    const clock = createFakeClock();
    const progress = Array.from({ length: 1000 }, (_, i): IdportEvent => ({
      type: 'run:progress',
      bytes: i,
      records: i,
    }));
    const text = await hear({ json: true, clock }, progress);
    expect(text.trimEnd().split('\n')).toHaveLength(1);
  });
});
