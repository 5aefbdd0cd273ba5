import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, type MockInstance, vi } from 'vitest';
import { InputError } from '../../src/errors.ts';
import type { ConvertJob } from '../../src/flows/convert-job.ts';
import { convertInputs, type Scan } from '../../src/flows/proven.ts';
import { createCrew } from '../../src/lib/crew.ts';
import { type Hand, startHand } from '../../src/lib/crew-hand.ts';
import type { Input } from '../../src/lib/input.ts';
import { isUnread, parseBatch } from '../../src/sources/elements.ts';
import { keycloak } from '../../src/sources/keycloak/provider.ts';
import type { ScannedBatch } from '../../src/sources/source.ts';
import { openInput } from '../../src/storage/open-input.ts';
import { usualJob, usualKeycloak } from '../support/both-ways.ts';
import { createTestFolder } from '../support/folder.ts';
import { memoryInput } from '../support/memory-input.ts';
import { workerLoader } from '../support/worker-loader.ts';

const job: ConvertJob<'keycloak'> = { ...usualJob, provider: 'keycloak', options: usualKeycloak };

interface Outcome {
  /** What was written, and what the raw records behind it are. */
  readonly people: unknown[];
  readonly raw: unknown[];
  readonly failure: unknown;
}

interface Ran extends Outcome {
  readonly scans: number;
  /** Batches that were handed out unread. */
  readonly guessed: number;
  /** Tasks that other threads were given. */
  readonly helped: number;
  readonly opened: number;
  readonly closed: number;
  /** Files that were open at once. */
  readonly openAtOnce: number;
  /** Of the event loop. */
  readonly turns: number;
}

/** Until they are asked for. */
function countTurns(): () => number {
  let turns = 0;
  let next: NodeJS.Immediate;
  const count = (): void => {
    turns++;
    next = setImmediate(count);
  };
  next = setImmediate(count);
  return () => {
    clearImmediate(next);
    return turns;
  };
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface Steps {
  readonly threads?: number;
  /** Called with every batch that is handed out. */
  /** The run ends after so many batches. */
  readonly stopAfter?: number;
  readonly beforeBatch?: (batch: ScannedBatch) => void;
}

async function convert(
  inputs: readonly Input[],
  { threads = 1, stopAfter = Infinity, beforeBatch }: Steps = {},
): Promise<Ran> {
  let [scans, guessed, opened, closed, openAtOnce] = [0, 0, 0, 0, 0];
  const turns = countTurns();
  const hands: Hand[] = [];
  const given: MockInstance<Hand['work']>[] = [];
  const watched = inputs.map((input) => ({
    ...input,
    open() {
      const file = input.open?.();
      if (file === undefined) return undefined;
      opened++;
      openAtOnce = Math.max(openAtOnce, opened - closed);
      return {
        ...file,
        close() {
          closed++;
          file.close();
        },
      };
    },
  }));
  const scan: Scan = async function* (openFile) {
    scans++;
    const aids = openFile === undefined ? {} : { openFile };
    for await (const batch of keycloak.scan(watched, job.options, () => {}, aids)) {
      beforeBatch?.(batch);
      if (isUnread(batch)) guessed++;
      yield batch;
      while (!hands.every(({ isReady }) => isReady)) await nextTurn();
    }
  };
  const crew = createCrew(threads, () => {
    const hand = startHand({ execArgv: [workerLoader] });
    hands.push(hand);
    given.push(vi.spyOn(hand, 'work'));
    return hand;
  });
  const [people, raw]: unknown[][] = [[], []];
  let failure: unknown;
  let batches = 0;
  try {
    for await (const { task, answer } of convertInputs(watched, scan, job, crew)) {
      people!.push(...(JSON.parse(`[${Buffer.from(answer.body).toString().slice(1)}]`) as unknown[]));
      raw!.push(...parseBatch(task));
      if (++batches === stopAfter) break;
    }
  } catch (error) {
    failure = error;
  } finally {
    await crew.close();
  }
  const helped = given.reduce((sum, { mock }) => sum + mock.calls.length, 0);
  return {
    people: people!,
    raw: raw!,
    failure,
    scans,
    guessed,
    helped,
    opened,
    closed,
    openAtOnce,
    turns: turns(),
  };
}

/** The same bytes as a plain file and packed; the packed one is always read from its start to its end. */
function bothWays(bytes: string | Uint8Array): { plain: Input; packed: Input } {
  const [plain, packed] = [createTestFolder(), createTestFolder()];
  writeFileSync(join(plain, 'realm.json'), bytes);
  writeFileSync(join(packed, 'realm.json'), gzipSync(bytes, { level: 1 }));
  return {
    plain: openInput('realm.json', { cwd: plain }),
    packed: openInput('realm.json', { cwd: packed }),
  };
}

function problemOf({ failure }: Outcome): unknown {
  if (!(failure instanceof InputError)) return failure;
  const { code, problem, position } = failure;
  return { code, problem, position };
}

const count = 6000;
const person = (number: number, more: object = {}): object => ({
  id: `id-${number}`,
  username: `user-${number}`,
  email: `user-${number}@example.org`,
  enabled: true,
  firstName: number % 50 === 0 ? 'Zo\u00eb' : 'Ada',
  lastName: 'Lovelace',
  attributes: { note: ['x'.repeat(100)] },
  ...more,
});
const people = (more: (number: number) => object = () => ({})): object[] =>
  Array.from({ length: count }, (_, number) => person(number, more(number)));
const compact = JSON.stringify({ realm: 'x', users: people(), clients: [{ id: 'c', clientId: 'c' }] });
const pretty = JSON.stringify(
  { realm: 'x', users: people(), clients: [{ id: 'c', clientId: 'c' }] },
  null,
  2,
);
const last = compact.indexOf(`"id":"id-${count - 40}"`);
const at = (place: number, put: string): string => compact.slice(0, place) + put + compact.slice(place);

describe('a large file whose people are converted unread', () => {
  it.each([
    ['compact', compact],
    ['on many lines', pretty],
    ['a list of users alone', JSON.stringify(people())],
    [
      "the operator's resource",
      JSON.stringify({ kind: 'K', spec: { realm: { realm: 'x', users: people() } } }),
    ],
  ])('gives what the packed one gives, read once: %s', async (_, text) => {
    const { plain, packed } = bothWays(text);
    const [found, expected] = [await convert([plain]), await convert([packed])];
    expect(found.people).toHaveLength(count);
    expect(found).toMatchObject({ scans: 1, opened: 1, closed: 1, failure: undefined });
    expect(found.guessed).toBeGreaterThanOrEqual(3);
    expect(expected).toMatchObject({ scans: 1, guessed: 0, failure: undefined });
    expect(found.people).toEqual(expected.people);
    expect(found.raw).toEqual(expected.raw);
  });

  it.each<[string, string]>([
    [
      'people inside of people look like them',
      JSON.stringify({
        realm: 'x',
        users: people((number) =>
          number < 1000 ? {} : { friends: Array.from({ length: 9 }, () => person(1)) },
        ),
      }),
    ],
    [
      'what stands behind looks like them',
      JSON.stringify({ realm: 'x', users: people().slice(0, 4500), clients: people() }),
    ],
    [
      'federated users stand behind',
      JSON.stringify({ realm: 'x', users: people().slice(0, 4500), federatedUsers: people() }),
    ],
  ])('gives what the packed one gives where a guess is wrong: %s', async (_, text) => {
    const { plain, packed } = bothWays(text);
    const [found, expected] = [await convert([plain]), await convert([packed])];
    expect(expected.people.length).toBeGreaterThanOrEqual(4500);
    expect(found).toMatchObject({ scans: 2, opened: 1, closed: 1, failure: undefined });
    expect(found.guessed).toBeGreaterThanOrEqual(1);
    expect(found.people).toEqual(expected.people);
    expect(found.raw).toEqual(expected.raw);
  });

  it.each<[string, string | Uint8Array]>([
    ['a value that is none', at(last, '"x":nul,')],
    ['a control character in a text', at(last + 6, '\n')],
    ['a comma too few', at(last - 2, '').replace(`},{"id":"id-${count - 40}"`, `}{"id":"id-${count - 40}"`)],
    ['a bracket too many', at(last - 2, ']')],
    ['a byte that is not UTF-8', Buffer.from(at(last + 6, '\u00e9'), 'latin1')],
    ['its end missing', compact.slice(0, last)],
    ['its last bracket missing', compact.slice(0, -1)],
    ['something behind its end', `${compact}x`],
  ])('fails as the packed one does: %s', async (_, bytes) => {
    const { plain, packed } = bothWays(bytes);
    const [found, expected] = [await convert([plain]), await convert([packed])];
    expect(problemOf(expected)).toMatchObject({ code: expect.stringMatching(/^input:/) as string });
    expect(problemOf(found)).toEqual(problemOf(expected));
    expect(found.people.slice(0, expected.people.length)).toEqual(
      expected.people.slice(0, found.people.length),
    );
    expect([found.opened, found.closed]).toEqual([1, 1]);
  });

  it('is read once where it is one of several, and none is lost where a guess is wrong in the second', async () => {
    const decoys = JSON.stringify({ realm: 'x', users: people().slice(0, 4500), clients: people() });
    const [one, two, three] = [bothWays(compact), bothWays(decoys), bothWays(pretty)];
    const named = (input: Input, name: string): Input => ({ ...input, name });
    const inputsOf = (form: 'plain' | 'packed'): Input[] =>
      [one, two, three].map((each, number) => named(each[form], `realm-${number}.json`));
    const [found, expected] = [await convert(inputsOf('plain')), await convert(inputsOf('packed'))];
    expect(found).toMatchObject({ scans: 2, failure: undefined });
    expect(found.opened).toBe(found.closed);
    expect(found.people).toHaveLength(2 * count + 4500);
    expect(found.people).toEqual(expected.people);
  });

  it('is not read unread where it is small, and read without an error where nobody is in it', async () => {
    const few = bothWays(JSON.stringify({ realm: 'x', users: people().slice(0, 2000) }));
    expect(await convert([few.plain])).toMatchObject({ opened: 0, guessed: 0, failure: undefined });
    const nobody = bothWays(JSON.stringify({ realm: 'x', users: [], clients: people() }));
    expect(await convert([nobody.plain])).toMatchObject({ people: [], guessed: 0, failure: undefined });
  });

  it('says so when it gets shorter meanwhile', async () => {
    const { plain } = bothWays(compact);
    const folder = createTestFolder();
    writeFileSync(join(folder, 'realm.json'), compact);
    const input = openInput('realm.json', { cwd: folder });
    let batches = 0;
    const beforeBatch = (): void => {
      if (++batches === 3) truncateSync(join(folder, 'realm.json'), 300_000);
    };
    const found = await convert([input], { beforeBatch });
    expect(problemOf(found)).toMatchObject({ code: 'input:truncated', position: { offset: 300_000 } });
    const whole = await convert([plain]);
    expect(found.people.length).toBeGreaterThan(100);
    expect(found.people).toEqual(whole.people.slice(0, found.people.length));
  });

  it('says so when others stand in it meanwhile', async () => {
    const folder = createTestFolder();
    const path = join(folder, 'realm.json');
    writeFileSync(path, compact);
    let batches = 0;
    const beforeBatch = (): void => {
      if (++batches === 3) writeFileSync(path, JSON.stringify({ realm: 'x', users: people().slice(0, 100) }));
    };
    const found = await convert([openInput('realm.json', { cwd: folder })], { beforeBatch });
    expect(problemOf(found)).toMatchObject({ code: 'input:changed' });
  });

  it('is read from its start to its end where a pipe is beside it', async () => {
    const nested = people((number) => ({ friends: number < 1000 ? [] : people().slice(0, 9) }));
    for (const text of [JSON.stringify({ users: nested }), at(last + 6, '\n')]) {
      const pipe = (): Input => memoryInput('-', JSON.stringify({ users: [person(9)] }), { pipe: true });
      const { plain, packed } = bothWays(text);
      const [found, expected] = [await convert([pipe(), plain]), await convert([pipe(), packed])];
      expect(found).toMatchObject({ opened: 0, scans: 1 });
      expect(found.people).toEqual(expected.people);
      expect(problemOf(found)).toEqual(problemOf(expected));
    }
  });

  it('is open only as long as batches of it come', async () => {
    const many = Array.from({ length: 8 }, (_, number) => ({
      ...bothWays(compact).plain,
      name: `${number}.json`,
    }));
    expect(await convert(many)).toMatchObject({ opened: 8, closed: 8, openAtOnce: 2, scans: 1 });
  });

  it('lets signals and timers have their turn, also on one thread', async () => {
    const { guessed, turns } = await convert([bothWays(pretty).plain]);
    expect(guessed).toBeGreaterThan(5);
    expect(turns).toBeGreaterThan(guessed);
  });

  it('is closed when the run ends before it', { timeout: 60_000 }, async () => {
    for (const threads of [1, 3]) {
      const { plain } = bothWays(pretty);
      const { opened, closed } = await convert([plain], { threads, stopAfter: 2 });
      expect([opened, closed]).toEqual([1, 1]);
    }
  });

  it('gives the same on several threads, right or wrong', { timeout: 60_000 }, async () => {
    const decoys = JSON.stringify({ realm: 'x', users: people(), clients: people() }, null, 1);
    for (const text of [pretty, decoys]) {
      const { plain } = bothWays(text);
      const [alone, together] = [await convert([plain]), await convert([plain], { threads: 3 })];
      expect(together.failure).toBeUndefined();
      expect(together.people).toHaveLength(count);
      expect(together.people).toEqual(alone.people);
      expect(together.raw).toEqual(alone.raw);
      expect(together.helped).toBeGreaterThan(2);
      expect([together.opened, together.scans]).toEqual([together.closed, alone.scans]);
    }
  });
});
