/** Odd records among thousands of ordinary ones: each must become what it becomes in an input of its own. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeAuth0User } from '../../../bench/auth0/generate.ts';
import { createDice, type Dice } from '../../../bench/dice.ts';
import { makeKeycloakUser } from '../../../bench/keycloak/generate.ts';
import { printJackson } from '../../../bench/keycloak/jackson.ts';
import { IdportError } from '../../../src/errors.ts';
import { type Conversion, convert } from '../../../src/index.ts';
import { linesTried } from '../../../src/sources/table/forms/recognise.ts';
import type { Draw } from '../draw.ts';
import { mutate } from '../mutate.ts';
import { makeOdd, printOdd } from '../odd-records.ts';
import { expectSame, type FuzzTarget } from '../target.ts';

type User = Record<string, unknown>;

/** A kind of file with ordinary users. */
interface Layout {
  readonly conversion: (path: string) => Conversion;
  readonly makeUser: (index: number, dice: Dice) => User;
  readonly print: (user: User) => string;
  readonly toFile: (records: readonly Buffer[]) => Buffer;
  /** Whether a broken record breaks the whole file. */
  readonly oneDocument: boolean;
}

const flags = { org: '1', metadata: 'all', defaultRegion: 'DE', threads: 1 } as const;

/** A file is recognised by its first lines, so these are sound. They do not count. */
const firstIds = Array.from({ length: linesTried }, (_, at) => `auth0|first${at}`);
const firstLines = firstIds.map((id, at) =>
  Buffer.from(JSON.stringify({ user_id: id, email: `first${at}@example.org`, email_verified: true })),
);

const realm: Pick<Layout, 'conversion' | 'toFile' | 'oneDocument'> = {
  conversion: (path) => ({ ...flags, provider: 'keycloak', realm: path }),
  toFile: (records) => concat('{"realm":"fuzz","users":[', records, ',', ']}'),
  oneDocument: true,
};
const exportJob: Pick<Layout, 'conversion' | 'toFile' | 'oneDocument'> = {
  conversion: (path) => ({ ...flags, provider: 'auth0', users: path }),
  toFile: (records) => concat('', [...firstLines, ...records], '\n', '\n'),
  oneDocument: false,
};

const layouts: readonly Layout[] = [
  { ...realm, makeUser: keycloakUser('uniform'), print: (user) => printJackson(user, 2) },
  { ...realm, makeUser: keycloakUser('varied'), print: (user) => printJackson(user, 2) },
  { ...realm, makeUser: keycloakUser('varied'), print: (user) => JSON.stringify(user) },
  { ...exportJob, makeUser: auth0User('plain'), print: (user) => JSON.stringify(user) },
  { ...exportJob, makeUser: auth0User('metadata'), print: (user) => JSON.stringify(user) },
];

function keycloakUser(population: Parameters<typeof makeKeycloakUser>[2]): Layout['makeUser'] {
  return (index, dice) => makeKeycloakUser(index, dice, population);
}

function auth0User(population: Parameters<typeof makeAuth0User>[2]): Layout['makeUser'] {
  return (index, dice) => makeAuth0User(index, dice, population);
}

function concat(start: string, parts: readonly Buffer[], between: string, end: string): Buffer {
  const comma = Buffer.from(between);
  const joined = parts.flatMap((part, at) => (at === 0 ? [part] : [comma, part]));
  return Buffer.concat([Buffer.from(start), ...joined, Buffer.from(end)]);
}

const ordinaryUsers = 2000;
/** Ids and names of odd records are none of those of ordinary ones. */
const firstOdd = 5_000_000;
const oddRecords = 8;
/** Between the records of one input. */
const separator = 0x1e;

export const neighbors: FuzzTarget = {
  name: 'neighbors',
  about:
    'an odd record among thousands of ordinary ones becomes what it becomes alone: element, notes, rejection',
  share: 0.1,
  inTests: 4,
  open() {
    const folder = mkdtempSync(join(tmpdir(), 'idport-fuzz-'));
    const tried = new Map<Layout, Promise<Tried>>();
    return Promise.resolve({
      make: (draw) => makeInput(draw.pick(layouts), draw),
      async check(input, draw) {
        const layout = draw.pick(layouts);
        const run: Run = (records) => runConversion(folder, layout, records);
        const ordinary = tried.get(layout) ?? tryOrdinary(layout, run);
        tried.set(layout, ordinary);
        await checkRecords(splitInput(input, layout), await ordinary, draw, run);
      },
      close: () => rmSync(folder, { recursive: true, force: true }),
    });
  },
};

function makeInput(layout: Layout, draw: Draw): Buffer {
  const dice = createDice(1 + draw.below(1e9));
  const records = Array.from({ length: oddRecords }, (_, at) => {
    const user = layout.makeUser(firstOdd + at * 1000 + draw.below(1000), dice);
    const text = Buffer.from(printOdd(draw.chance(0.8) ? makeOdd(user, draw) : user, draw));
    return draw.chance(0.2) ? mutate(text, draw) : text;
  });
  return concat('', records, String.fromCharCode(separator), '');
}

/** Leaves out what is not one record, because it ends the list around it. */
function splitInput(input: Buffer, { oneDocument }: Layout): Buffer[] {
  const records: Buffer[] = [];
  for (let from = 0; from <= input.length;) {
    const at = input.indexOf(separator, from);
    records.push(input.subarray(from, at === -1 ? undefined : at));
    from = at === -1 ? input.length + 1 : at + 1;
  }
  return records.filter((record) => !oneDocument || isOneOrBroken(record.toString('latin1')));
}

function isOneOrBroken(text: string): boolean {
  if (text.trim() === '') return false;
  const parses = (json: string): boolean => {
    try {
      JSON.parse(json);
      return true;
    } catch {
      return false;
    }
  };
  return parses(text) || !parses(`{"users":[${text}]}`);
}

/** What came of the records of a file. */
interface Outcome {
  readonly failed: boolean;
  readonly read: number;
  /** What stands in the body. */
  readonly elements: readonly string[];
  readonly reports: readonly { readonly index: number; readonly text: string }[];
  readonly rejects: readonly string[];
  /** Ids and names; no second record may have them. */
  readonly names: readonly string[];
}

interface Tried {
  readonly records: readonly Buffer[];
  readonly outcome: Outcome;
}

type Run = (records: readonly Buffer[]) => Promise<Outcome>;

async function tryOrdinary({ makeUser, print }: Layout, run: Run): Promise<Tried> {
  const dice = createDice(7);
  const records = Array.from({ length: ordinaryUsers }, (_, index) =>
    Buffer.from(print(makeUser(index, dice))),
  );
  return { records, outcome: await run(records) };
}

async function checkRecords(
  records: readonly Buffer[],
  ordinary: Tried,
  draw: Draw,
  run: Run,
): Promise<void> {
  const together: Tried[] = [];
  const names = new Set<string>();
  for (const record of records) {
    const alone = { records: [record], outcome: await run([record]) };
    // A record that breaks its file, or that has the id of another one, is tried without the others.
    if (alone.outcome.failed || alone.outcome.names.some((name) => names.has(name))) {
      await compare([alone], ordinary, draw, run);
    } else {
      together.push(alone);
    }
    for (const name of alone.outcome.names) names.add(name);
  }
  if (together.length > 0) await compare(together, ordinary, draw, run);
}

/** Puts the odd records between ordinary ones. What comes of all must be what came of each apart. */
async function compare(odd: readonly Tried[], ordinary: Tried, draw: Draw, run: Run): Promise<void> {
  const places = odd.map(() => draw.below(ordinaryUsers + 1)).toSorted((a, b) => a - b);
  const mixed = await run([
    ...odd.flatMap(({ records }, at) => [
      ...ordinary.records.slice(places[at - 1] ?? 0, places[at]),
      ...records,
    ]),
    ...ordinary.records.slice(places.at(-1)),
  ]);
  const failed = odd.some(({ outcome }) => outcome.failed);
  expectSame('a failed run', mixed.failed, failed);
  if (failed) return;

  const parts = [ordinary, ...odd].map(({ outcome }) => outcome);
  const oddBefore = (test: (at: number) => boolean): number =>
    odd.reduce((sum, { outcome }, at) => (test(at) ? sum + outcome.read : sum), 0);
  const reports = [
    ...ordinary.outcome.reports.map(({ index, text }) => ({
      index: index + oddBefore((at) => places[at]! <= index),
      text,
    })),
    ...odd.flatMap(({ outcome }, own) =>
      outcome.reports.map(({ index, text }) => ({
        index: index + places[own]! + oddBefore((at) => at < own),
        text,
      })),
    ),
  ];
  expectSameItems(
    'in the body',
    mixed.elements,
    parts.flatMap(({ elements }) => elements),
  );
  expectSameItems('in the report', mixed.reports.map(numbered), reports.map(numbered));
  expectSameItems(
    'in the rejects',
    mixed.rejects,
    parts.flatMap(({ rejects }) => rejects),
  );
  expectSame('records', mixed.read, ordinaryUsers + oddBefore(() => true));
}

function numbered({ index, text }: { readonly index: number; readonly text: string }): string {
  return `${index} ${text}`;
}

/** In any order; a difference names what one list has and the other has not. */
function expectSameItems(what: string, actual: readonly string[], expected: readonly string[]): void {
  expectSame(what, subtract(actual, expected), subtract(expected, actual));
}

function subtract(items: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const item of others) left.set(item, (left.get(item) ?? 0) + 1);
  return items.filter((item) => {
    const count = left.get(item) ?? 0;
    left.set(item, count - 1);
    return count <= 0;
  });
}

/** The command's own way, with files. */
async function runConversion(folder: string, layout: Layout, records: readonly Buffer[]): Promise<Outcome> {
  const path = (name: string) => join(folder, name);
  writeFileSync(path('input'), layout.toFile(records));
  const outputs = { output: path('body'), report: path('report.json'), rejects: path('rejects') };
  try {
    const { tally } = await convert({ ...layout.conversion(path('input')), ...outputs });
    const body = JSON.parse(readFileSync(outputs.output, 'utf8')) as Body;
    const report = JSON.parse(readFileSync(outputs.report, 'utf8')) as Report;
    const rejects = readFileSync(outputs.rejects, 'utf8');
    return readOutcome(layout.oneDocument ? 0 : linesTried, tally.read, { body, report, rejects });
  } catch (error) {
    if (!(error instanceof IdportError) || error.code.startsWith('internal:')) throw error;
    return { failed: true, read: 0, elements: [], reports: [], rejects: [], names: [] };
  }
}

type Item = { readonly userId?: string; readonly user?: { readonly userName?: string } };
type Body = { readonly dataOrgs: { readonly orgs: readonly Record<string, readonly Item[] | string>[] } };
type Report = { readonly users: readonly { readonly index: number; readonly input: string }[] };

type Files = { readonly body: Body; readonly report: Report; readonly rejects: string };

/** `lead`: how many records at the beginning do not count. */
function readOutcome(lead: number, read: number, { body, report, rejects }: Files): Outcome {
  const items = Object.entries(body.dataOrgs.orgs[0] ?? {})
    .flatMap(([key, list]) => (typeof list === 'string' ? [] : list.map((item) => ({ key, item }))))
    .filter(({ item }) => !firstIds.includes(item.userId ?? ''));
  return {
    failed: false,
    read: read - lead,
    elements: items.map(({ key, item }) => `${key} ${JSON.stringify(item)}`),
    reports: report.users
      .filter(({ index }) => index >= lead)
      .map(({ index, ...entry }) => ({ index: index - lead, text: withoutPlace(JSON.stringify(entry)) })),
    rejects: rejects.split('\n').filter(Boolean).map(withoutPlace),
    names: items.flatMap(({ item }) => [item.userId ?? [], item.user?.userName?.toLowerCase() ?? []].flat()),
  };
}

function withoutPlace(text: string): string {
  return text.replace(/"index":\d+/, '"index":0').replace(/line \d+, byte \d+/, 'line 1, byte 1');
}
