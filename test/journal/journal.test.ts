import {
  appendFileSync,
  linkSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import {
  array,
  assert,
  asyncProperty,
  constantFrom,
  integer,
  property,
  record,
  string,
  tuple,
  uniqueArray,
} from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { IdportError } from '../../src/errors.ts';
import { type Ends, lockJournal } from '../../src/journal/journal.ts';
import { createJournal, header, resumeJournal } from '../support/journal.ts';
import { keepPrevious } from '../../src/storage/file-sink.ts';
import { decodeLine, encodeLine, type JournalHeader, type Line, schemasOf } from '../../src/journal/lines.ts';
import { loadJournal, readLines, State } from '../../src/journal/load.ts';
import { changed } from '../fuzz/arbitraries.ts';
import { createTestFolder, elsewhere, ended, writeLock } from '../support/folder.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = createTestFolder();
  path = join(folder, 'importBody.json.journal');
});

const nothing = { created: [], existed: [], failed: [], noted: [], ids: [] };

/** A whole journal, with a request for each of these entries. */
async function writeEach(entries: readonly number[], endsOf: (entry: number) => Ends) {
  const journal = createJournal(path, header);
  for (const entry of entries) {
    const attempt = await journal.intend({ at: 1, entries: [entry], users: [['', `u${entry}`, '']] });
    await journal.settle(attempt, endsOf(entry));
  }
  await journal.finish(2);
  journal.close();
}

describe('a journal line', () => {
  const numbers = uniqueArray(integer({ min: 0, max: 5000 }), { maxLength: 50 }).map((list) =>
    list.toSorted((a, b) => a - b),
  );
  const failures = array(record({ entry: integer({ min: 0 }), code: string(), detail: string() }), {
    maxLength: 5,
  });
  it('is read as it was written', () => {
    const intent = record({
      attempt: integer({ min: 1 }),
      at: integer(),
      entries: numbers,
      users: array(tuple(string(), string(), string()), { maxLength: 5 }),
    }).map((intent): Line => ({ kind: 'intent', intent }));
    const outcome = record({
      attempt: integer({ min: 1 }),
      created: numbers,
      existed: numbers,
      failed: failures,
      noted: failures,
      unconfirmed: uniqueArray(integer({ min: 0, max: 500 }), { minLength: 1, maxLength: 9 }).map((list) =>
        list.toSorted((a, b) => a - b),
      ),
      ids: array(tuple(integer({ min: 0 }), string()), { maxLength: 5 }),
    }).map((outcome): Line => ({ kind: 'outcome', outcome }));
    const others = constantFrom({ kind: 'header', header }, { kind: 'end', at: 12, attempts: 3 });
    for (const lines of [intent, outcome, others]) {
      assert(
        property(lines, (line) => {
          const text = encodeLine(line);
          expect(text).not.toContain('\n');
          expect(decodeLine(text)).toEqual(line);
        }),
        { numRuns: 100 },
      );
    }
  });

  it.each(['', 'x', 'null', '7', '{}', '{"intent":"x"}'])('is not read from %j', (text) => {
    expect(decodeLine(text)).toBeUndefined();
  });

  const written = encodeLine({ kind: 'header', header });
  it.each([
    ['of another version', written.replace('"version":1', '"version":2')],
    ['without a plan', written.replace('"plan"', '"plen"')],
    ['with a plan of no numbers', written.replace('["userMetadata",20]', '["userMetadata"]')],
    ['with more entries than can be', written.replace('20]', '20000000000]')],
    ['with an entry that the run does not have', '{"intent":1,"at":5,"entries":[[0,120]],"users":[]}'],
    ['with a run of entries that never ends', '{"intent":1,"at":5,"entries":[[0,1e300]],"users":[]}'],
    ['with an entry that is no whole number', '{"intent":1,"at":5,"entries":[[0.5,2]],"users":[]}'],
    ['with an entry below none', '{"intent":1,"at":5,"entries":[[-1,2]],"users":[]}'],
    ['with a user who has no name', '{"intent":1,"at":5,"entries":[[0,2]],"users":[["a","b"]]}'],
    [
      'with a failure of no user',
      '{"outcome":1,"created":[],"existed":[],"failed":[["x","y","z"]],"noted":[],"ids":[]}',
    ],
    ['without its lists', '{"outcome":1,"created":[]}'],
  ])('%s is not a line', (_, text) => {
    expect(text).not.toBe(written);
    expect(decodeLine(text, schemasOf(120))).toBeUndefined();
  });

  it('is short for a long list of entries', () => {
    const entries = Array.from({ length: 5000 }, (_, i) => i);
    expect(encodeLine({ kind: 'outcome', outcome: { attempt: 1, ...nothing, created: entries } })).toBe(
      '{"outcome":1,"created":[[0,4999]],"existed":[],"failed":[],"noted":[],"ids":[]}',
    );
  });
});

describe('a journal', () => {
  it('has the intent in the file before anything is sent', async () => {
    const journal = createJournal(path, header);
    await journal.intend({ at: 5, entries: [0, 1, 2], users: [['a', 'ada', 'f']] });
    expect(readFileSync(path, 'utf8').split('\n')[1]).toBe(
      '{"intent":1,"at":5,"entries":[[0,2]],"users":[["a","ada","f"]]}',
    );
    journal.close();
  });

  it('knows after a stop what is done, not done and unknown', async () => {
    const journal = createJournal(path, header);
    const first = await journal.intend({ at: 1, entries: [0, 1, 2, 3], users: [] });
    await journal.settle(first, {
      created: [0],
      existed: [1],
      failed: [{ entry: 2, code: 'import:refused', detail: 'x' }],
    });
    await journal.intend({ at: 2, entries: [4, 5], users: ['e', 'f'].map((id) => [id, '', '']) });
    journal.close();

    const again = await resumeJournal(path, { ...header, startedAt: 99 });
    const { created, existed, failed, none, open } = State;
    const states = [0, 1, 2, 3, 4, 5, 6].map((entry) => again.states.get(entry));
    expect(states).toEqual([created, existed, failed, none, open, open, none]);
    expect(again.open).toMatchObject([{ attempt: 2, at: 2, entries: [4, 5] }]);
    expect(await again.intend({ at: 3, entries: [3], users: [] })).toBe(3);
    again.close();
  });

  it('ignores a line that was torn at any byte by a kill', async () => {
    const journal = createJournal(path, header);
    await journal.intend({ at: 1, entries: [0, 1], users: [] });
    await journal.settle(1, { created: [0, 1] });
    journal.close();
    const whole = readFileSync(path);
    const lines = whole.toString().split('\n');
    const beforeLast = whole.length - (lines.at(-2)?.length ?? 0) - 1;
    for (let size = beforeLast; size < whole.length; size++) {
      writeFileSync(path, whole);
      truncateSync(path, size);
      const again = await resumeJournal(path, header);
      expect(again.open).toHaveLength(1);
      await again.settle(1, { created: [0, 1] });
      again.close();
      expect(readFileSync(path, 'utf8')).toBe(whole.toString());
    }
  });

  const end = (attempts: number) => `{"end":1,"attempts":${attempts}}\n`;
  const unknownEntry = '{"intent":1,"at":5,"entries":[[0,120]],"users":[]}';
  const damaged = { code: 'journal:damaged' };

  it.each<[string, (text: string) => string, object]>([
    [
      'whose first line lacks a member',
      (text) => text.replace('"plan"', '"lists"'),
      { hint: /If an earlier build of idport/ },
    ],
    [
      'of another version',
      (text) => text.replace('"version":1', '"version":2'),
      { code: 'journal:version', message: /is a journal of version 2, and this idport reads version 1$/ },
    ],
    ['with no line of a journal in the middle', (text) => `${text}nonsense\n${end(0)}`, damaged],
    ['with an entry that the run does not have', (text) => `${text}${unknownEntry}\n${end(1)}`, damaged],
    ['that contains another', (text) => text.repeat(2), damaged],
    ['without a line', () => '', { code: 'journal:unknown' }],
    ['that is none', () => 'hello\n', { code: 'journal:unknown' }],
    ['that begins with its end', () => end(0), { code: 'journal:unknown' }],
  ])('%s is refused', async (_, change, refusal) => {
    createJournal(path, header).close();
    writeFileSync(path, change(readFileSync(path, 'utf8')));
    await expect(resumeJournal(path, header)).rejects.toMatchObject(refusal);
  });

  it('with a senseless last line after a power loss continues without it', async () => {
    createJournal(path, header).close();
    appendFileSync(path, `${'\0'.repeat(100)}\n`);
    const again = await resumeJournal(path, header);
    await again.finish(1);
    again.close();
    expect(await loadJournal(path)).toMatchObject({ finished: true });
  });

  it('with any change is read or refused', async () => {
    await writeEach([0, 1], (entry) => ({ failed: [{ entry, code: 'import:refused', detail: '"\\' }] }));
    const read = asyncProperty(changed([readFileSync(path)]), async (bytes) => {
      writeFileSync(path, bytes);
      const code = await loadJournal(path).then(
        () => 'journal:read',
        (error: unknown) => (error as IdportError).code,
      );
      expect(code).toMatch(/^journal:(?:read|damaged|unknown|version)$/);
    });
    await assert(read, { numRuns: 300 });
  });

  it('cannot be a device or a folder', async () => {
    for (const other of ['/dev/zero', createTestFolder()]) {
      const message = expect.stringContaining(other);
      await expect(loadJournal(other)).rejects.toMatchObject({ code: 'journal:unknown', message });
    }
  });

  it.each([
    ['a request', [1, 2]],
    ['all lines of some requests', [1, 2, 3, 4]],
    ['the end of one request and the start of the next', [2, 3]],
    ['all lines of the last request', [5, 6]],
  ])('without %s is refused as damaged', async (_, cut) => {
    await writeEach([0, 1, 2], (entry) => ({ created: [entry] }));
    const lines = readFileSync(path, 'utf8').split('\n');
    writeFileSync(path, lines.filter((__, at) => !cut.includes(at)).join('\n'));
    await expect(loadJournal(path)).rejects.toMatchObject(damaged);
  });

  it('cannot be created twice', () => {
    createJournal(path, header).close();
    expect(() => createJournal(path, header)).toThrow('there is a journal already');
    keepPrevious(path);
    createJournal(path, header).close();
    expect(statSync(`${path}.1`).size).toBeGreaterThan(0);
  });

  it('cannot be created in a missing folder', () => {
    expect(() => createJournal(join(folder, 'no', 'x.journal'), header)).toThrow('its folder does not exist');
  });

  it('has one writer at a time, and can be written after that one died', async () => {
    const journal = createJournal(path, header);
    await expect(resumeJournal(path, header)).rejects.toThrow('another run');
    journal.close();
    writeLock(`${path}.lock`, ended);
    (await resumeJournal(path, header)).close();
  });

  it.each([
    ['a symbolic link', symlinkSync, /^another run .* is writing/],
    ['a hard link', linkSync, /has another name \(a hard link\)/],
  ])('cannot be written through %s while a run writes it', async (_, link, problem) => {
    const journal = createJournal(path, header);
    const other = join(createTestFolder(), 'other.journal');
    link(path, other);
    await expect(resumeJournal(other, header)).rejects.toThrow(problem);
    journal.close();
    expect(readdirSync(dirname(other))).toEqual(['other.journal']);
  });

  it.each<[string, string, () => void]>([
    ['deleted', 'journal:deleted', () => rmSync(path)],
    ['deleted with its folder', 'journal:deleted', () => rmSync(dirname(path), { recursive: true })],
    [
      'taken over by another run',
      'journal:lock-lost',
      () => {
        rmSync(`${path}.lock`);
        writeLock(`${path}.lock`, elsewhere);
      },
    ],
  ])('that was %s accepts no more intents or outcomes', async (_, code, happen) => {
    const journal = createJournal(path, header);
    await journal.intend({ at: 1, entries: [0], users: [] });
    happen();
    await expect(journal.settle(1, { created: [0] })).rejects.toMatchObject({ code });
    await expect(journal.intend({ at: 1, entries: [1], users: [] })).rejects.toMatchObject({ code });
    journal.close();
  });

  it('locked on another machine is refused unless its lock is stolen', async () => {
    createJournal(path, header).close();
    writeLock(`${path}.lock`, elsewhere);
    await expect(resumeJournal(path, header)).rejects.toMatchObject({
      message: `another run (process 1 on other) is writing ${path}`,
      hint: expect.stringContaining('--steal-lock'),
    });
    (await resumeJournal(path, header, lockJournal(path, { steal: true }))).close();
  });

  it('keeps unknown outcomes over several stops until they are settled', async () => {
    const journal = createJournal(path, header);
    await journal.intend({ at: 5, entries: [0, 1, 2], users: [] });
    await journal.settle(1, { created: [0], unconfirmed: [1, 2] });
    journal.close();
    const second = await resumeJournal(path, header);
    expect([...second.unconfirmed]).toEqual([
      [1, 5],
      [2, 5],
    ]);
    expect(second.states.get(1)).toBe(State.none);
    await second.intend({ at: 9, entries: [1, 2], users: [] });
    await second.settle(2, { created: [1], unconfirmed: [2] });
    second.close();
    const third = await resumeJournal(path, header);
    expect([...third.unconfirmed]).toEqual([[2, 5]]);
    await third.intend({ at: 14, entries: [2], users: [] });
    const failed = [{ entry: 2, code: 'import:unconfirmed', detail: '' }];
    await third.settle(3, { failed, unconfirmed: [2] });
    expect(third.states.get(2)).toBe(State.failed);
    third.close();
    const fourth = await resumeJournal(path, header);
    expect([[...fourth.unconfirmed], fourth.states.get(2)]).toEqual([[[2, 5]], State.none]);
    fourth.close();
  });
});

it.each<[string, Partial<JournalHeader>, RegExp]>([
  ['input', { input: { ...header.input, sha256: 'other' } }, /another input/],
  ['address', { url: 'https://other.example' }, /https:\/\/id\.example, not https:\/\/other\.example/],
  ['organization', { orgs: ['43'] }, /organization 42, not 43/],
  ['verb', { verb: 'import-users' }, /idport import, not of import-users/],
  ['order', { plan: [['humanUsers', 100]] }, /another order/],
  ['route', { settings: { route: 'bucket' } }, /route was inline and is bucket now/],
])('a journal resumed with another run is refused because of its %s', async (_, change, message) => {
  createJournal(path, header).close();
  await expect(resumeJournal(path, { ...header, ...change })).rejects.toThrow(message);
  await expect(resumeJournal(path, { ...header, ...change })).rejects.toMatchObject({
    code: 'journal:other-run',
  });
});

it('a journal resumed with another run is accepted under another file name', async () => {
  createJournal(path, header).close();
  const moved = { ...header, input: { ...header.input, names: ['moved.json'] } };
  const again = await resumeJournal(path, moved);
  expect(again.resumed).toBe(true);
  again.close();
});

it('a journal is read although a line exceeds a block', async () => {
  const journal = createJournal(path, header);
  const users = Array.from({ length: 20_000 }, (_, i) => [`user-${i}`, 'name', 'fingerprint'] as const);
  await journal.intend({ at: 0, entries: [0], users });
  journal.close();
  const lines = [];
  for await (const { line } of readLines(path)) lines.push(line);
  expect(lines[1]).toMatchObject({ intent: { users: { length: 20_000 } } });
});
