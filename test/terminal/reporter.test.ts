import { PassThrough } from 'node:stream';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import type { IdportEvent } from '../../src/events.ts';
import { emptyTally } from '../../src/records/tally.ts';
import { toProblem } from '../../src/terminal/format-event.ts';
import { chooseReporter, type ReporterOptions } from '../../src/terminal/reporter.ts';
import { createFakeClock } from '../support/clock.ts';
import { exampleRun } from '../support/events.ts';
import { jsonLines } from '../support/workspace.ts';

/** A listener, and what it has written since the last look. */
async function listen(options: Partial<ReporterOptions>, columns = 60) {
  const stderr = Object.assign(new PassThrough(), { columns });
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
  return { emit, written: () => String(stderr.read(stderr.readableLength) ?? '') };
}

async function hear(
  options: Partial<ReporterOptions>,
  events: readonly IdportEvent[] = exampleRun.map(([, event]) => event),
) {
  const { emit, written } = await listen(options);
  for (const event of events) emit(event);
  return written();
}

const start: IdportEvent = {
  type: 'run:start',
  verb: 'import',
  inputs: ['-'],
  bytes: undefined,
  records: 10,
};

describe('chooseReporter', () => {
  it("keeps Node 20.18's warning about the spinner's JSON module off the screen", async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockReturnValue();
    onTestFinished(() => warn.mockRestore());
    await listen({ interactive: true });
    process.emitWarning('Importing JSON modules is an experimental feature', 'ExperimentalWarning');
    process.emitWarning('another');
    expect(warn.mock.calls).toEqual([['another']]);
  });

  it('prints events with --json, also at a terminal', async () => {
    const events = jsonLines(await hear({ json: true, interactive: true }));
    expect(events.map(({ type }) => type)).toContain('run:end');
  });

  it('prints only problems with --quiet', async () => {
    expect(await hear({ quiet: true })).toBe('warning: the realm half only\n2 of 1,000 users rejected\n');
    const problem = toProblem(new UsageError('no such flag'));
    expect(await hear({ quiet: true }, [problem])).toBe('error: no such flag\n');
    const found = { type: 'notice', level: 'info', code: 'input:no-users', text: 'found 3 files' } as const;
    const tally = emptyTally();
    const end: IdportEvent = { type: 'run:end', verb: 'import', tally, seconds: 1 };
    tally.dropped.set('bcrypt', 3);
    tally.signIn.set('first-login', 2);
    expect(await hear({ quiet: true }, [found, end])).toBe('1 password hash left out\n');
  });

  const dumb = { interactive: true, env: { TERM: 'dumb' } };
  it.each([{}, dumb])('prints plain lines without escape codes: %j', async (options) => {
    const text = await hear(options);
    expect(text).toContain('idport migrate keycloak: realm.json (1 MB)');
    expect(text).not.toContain('\u001b');
  });

  it('prints groups and a summary in GitHub Actions, except with --quiet or --json', async () => {
    const env = { GITHUB_ACTIONS: 'true' };
    let summary = '';
    const summarize = (markdown: string) => void (summary += markdown);
    expect(await hear({ quiet: true, env, summarize })).not.toContain('::');
    expect(await hear({ json: true, env, summarize })).not.toContain('::');
    expect(summary).toBe('');
    expect(await hear({ env, summarize })).toContain('::group::idport migrate keycloak: realm.json (1 MB)\n');
    expect(summary).toContain('1,000 users read');
  });

  it('colors plain lines only with FORCE_COLOR', async () => {
    expect(await hear({ env: { FORCE_COLOR: '1' } })).toContain('\u001b[33mwarning: \u001b[39m');
  });

  it.each([{}, dumb, { env: { GITHUB_ACTIONS: 'true' } }])(
    'prints a line a minute without progress, and none after the end: %j',
    async (options) => {
      const clock = createFakeClock();
      const { emit, written } = await listen({ color: false, clock, ...options });
      emit(start);
      written();
      await clock.advance(59_000);
      expect(written()).toBe('');
      await clock.advance(2000);
      expect(written()).toBe('0 %, 0 users, last progress 1 min ago\n');
      emit({ type: 'output:closed' });
      await clock.advance(200_000);
      expect(written()).toBe('');
    },
  );

  it('redraws a wait every second', async () => {
    const clock = createFakeClock();
    const { emit, written } = await listen({ interactive: true, color: false, clock }, 80);
    emit(start);
    emit({ type: 'run:waiting', reason: 'rate-limit', seconds: 60 });
    expect(written()).toBe('');
    await clock.advance(10_500);
    const text = written();
    expect(text).toContain('waiting 59 s: the service asks to slow down');
    expect(text).toContain('waiting 50 s: the service asks to slow down');
    emit({ type: 'problem', exitCode: 130, code: 'interrupted', message: 'interrupted' });
  });

  it('passes on at most ten progress events per second', async () => {
    const clock = createFakeClock();
    const progress = Array.from({ length: 1000 }, (_, i): IdportEvent => ({
      type: 'run:progress',
      bytes: i,
      records: i,
    }));
    expect(jsonLines(await hear({ json: true, clock }, progress))).toHaveLength(1);
  });
});
