/**
 * Journals that were torn, changed or are none: complete lines are read, anything else is refused with a clear message.
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IdportError } from '../../../src/errors.ts';
import { encodeLine, type Intent, type JournalHeader, type Line } from '../../../src/journal/lines.ts';
import { loadJournal, State } from '../../../src/journal/load.ts';
import type { Draw } from '../../support/draw.ts';
import { drawn } from '../arbitraries.ts';
import { mutate } from '../mutate.ts';
import { expectSame, type FuzzTarget, fuzzProperty } from '../target.ts';

/** Where files cost no disk. */
const memory = '/dev/shm';

export const journal: FuzzTarget = {
  name: 'journal',
  about: 'complete lines are read, and nothing else; a damaged file is refused with a clear message',
  share: 10,
  async open() {
    const inputs = drawn((draw) => {
      const text = Buffer.from(drawJournal(draw));
      if (draw.chance(0.2)) return text.subarray(0, draw.below(text.length + 1));
      return draw.chance(0.1) ? text : mutate(text, draw);
    });
    return fuzzProperty(inputs, async (input) => {
      const folder = mkdtempSync(join(existsSync(memory) ? memory : tmpdir(), 'idport-fuzz-'));
      const path = join(folder, 'x.journal');
      try {
        const loaded = await load(path, input);
        if (loaded === undefined) return;
        // A line that is being written when the process dies must change nothing.
        const whole = input.subarray(0, loaded.wholeBytes);
        const torn = Buffer.concat([whole, Buffer.from('{"intent":99,"at":1,"ent')]);
        expectSame('the journal with a torn line', await load(path, torn), loaded);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });
  },
};

async function load(path: string, input: Buffer) {
  writeFileSync(path, input);
  try {
    const { header, states, open, unconfirmed, troubles, ...rest } = await loadJournal(path);
    const size = header.plan.reduce((sum, [, count]) => sum + count, 0);
    for (const intent of open) checkEntries(intent.entries, size);
    checkEntries(
      [...unconfirmed, ...troubles].map(([entry]) => entry),
      size,
    );
    for (const [, name] of open.flatMap(({ users }) => users)) name.toLowerCase();
    const few = Math.min(size, 1000);
    const entries = Array.from({ length: few }, (_, entry) => states.get(entry));
    const counts = Object.values(State).map((state) => states.count(state, 0, few));
    expectSame(
      'entries by state',
      counts.reduce((sum, count) => sum + count, 0),
      few,
    );
    return { entries, header, open, troubles: [...troubles], unconfirmed: [...unconfirmed], ...rest };
  } catch (error) {
    if (error instanceof IdportError && error.code.startsWith('journal:')) return undefined;
    throw error;
  }
}

function checkEntries(entries: readonly number[], size: number) {
  const outside = entries.find((entry) => !Number.isInteger(entry) || entry < 0 || entry >= size);
  if (outside !== undefined) throw new Error(`entry ${outside} of ${size}`);
}

function drawJournal(draw: Draw) {
  const count = 1 + draw.below(30);
  const header: JournalHeader = {
    verb: draw.pick(['import', 'import-users']),
    input: { names: ['importBody.json'], bytes: 3127, sha256: 'ab'.repeat(32) },
    url: 'https://id.example.com',
    orgs: ['100'],
    plan: [['humanUsers', count], ...(draw.chance(0.3) ? [['userMetadata', 3] as const] : [])],
    settings: { form: 'v2' },
    startedAt: 1_767_225_600_000,
  };
  const lines: Line[] = [{ kind: 'header', header }];
  let attempts = 0;
  for (let attempt = 1; attempt <= draw.below(8); attempt++) {
    attempts = attempt;
    const from = draw.below(count);
    const entries = Array.from({ length: 1 + draw.below(count - from) }, (_, at) => from + at);
    const users = entries.map((entry): Intent['users'][number] => [
      `id-${entry}`,
      `user-${entry}`,
      'k3JxQ0aPzVs',
    ]);
    lines.push({ kind: 'intent', intent: { attempt, at: 1_767_225_600_400 + attempt, entries, users } });
    if (draw.chance(0.7)) lines.push(drawOutcome(draw, attempt, entries));
  }
  if (draw.chance(0.3)) lines.push({ kind: 'end', at: 1_767_225_700_000, attempts });
  return lines.map((line) => `${encodeLine(line)}\n`).join('');
}

function drawOutcome(draw: Draw, attempt: number, entries: readonly number[]): Line {
  const ends: number[][] = [[], [], [], [], []];
  for (const entry of entries) draw.pick(ends).push(entry);
  const [created = [], existed = [], failed = [], noted = [], unconfirmed = []] = ends;
  const trouble = (entry: number) => ({ entry, code: 'import:refused', detail: 'Errors.User.Email.Invalid' });
  const outcome = {
    attempt,
    created,
    existed,
    failed: failed.map(trouble),
    noted: noted.map(trouble),
    unconfirmed,
    ids: created.map((entry) => [entry, String(entry)] as const),
  };
  return { kind: 'outcome', outcome };
}
