/** Odd records among thousands of ordinary ones: each must become what it becomes in a separate input. */
import { makeAuth0User } from '../../../bench/auth0/generate.ts';
import { createDice, type Dice } from '../../../bench/dice.ts';
import { makeKeycloakUser } from '../../../bench/keycloak/generate.ts';
import { printJackson } from '../../../bench/keycloak/jackson.ts';
import { IdportError } from '../../../src/errors.ts';
import { linesTried } from '../../../src/sources/table/forms/recognise.ts';
import type { Draw } from '../../support/draw.ts';
import { drawn } from '../arbitraries.ts';
import { mutate } from '../mutate.ts';
import { printOdd } from '../odd-records.ts';
import { auth0Options, usualJob, usualKeycloak } from '../../support/usual-job.ts';
import { memoryInput } from '../../support/memory-input.ts';
import { openRecords } from '../convert.ts';
import { broken, expectSame, parseStrictly, type FuzzTarget, fuzzProperty } from '../target.ts';

type User = Record<string, unknown>;

/** A kind of file with ordinary users. */
interface Layout {
  readonly provider: 'keycloak' | 'auth0';
  readonly makeUser: (index: number, dice: Dice) => User;
  readonly print: (user: User) => string;
}

const asked = { metadata: 'all', defaultRegion: 'DE' } as const;
const options = { keycloak: { ...usualKeycloak, ...asked }, auth0: await auth0Options(asked) };
/** A file is recognised by its first lines, so these are sound. They do not count. */
const firstLines = Array.from({ length: linesTried }, (_, at) => {
  const email = `first${at}@example.org`;
  return Buffer.from(JSON.stringify({ user_id: `auth0|first${at}`, email, email_verified: true }));
});

const toFile = {
  keycloak: (records: readonly Buffer[]) => concat('{"realm":"fuzz","users":[', records, ',', ']}'),
  auth0: (records: readonly Buffer[]) => concat('', [...firstLines, ...records], '\n', '\n'),
};
/** A realm is one document: a broken record breaks all of it. */
const isOneDocument = ({ provider }: Layout) => provider === 'keycloak';

const keycloak = (population: Parameters<typeof makeKeycloakUser>[2], print: Layout['print']): Layout => ({
  provider: 'keycloak',
  makeUser: (index, dice) => makeKeycloakUser(index, dice, population),
  print,
});
const auth0 = (population: Parameters<typeof makeAuth0User>[2]): Layout => ({
  provider: 'auth0',
  makeUser: (index, dice) => makeAuth0User(index, dice, population),
  print: JSON.stringify,
});
const printAsServer = (user: User) => printJackson(user, 2);
const layouts = [
  keycloak('uniform', printAsServer),
  keycloak('varied', printAsServer),
  keycloak('varied', JSON.stringify),
  auth0('plain'),
  auth0('metadata'),
];

function concat(start: string, parts: readonly Buffer[], between: string, end: string) {
  const comma = Buffer.from(between);
  const joined = parts.flatMap((part, at) => (at === 0 ? [part] : [comma, part]));
  return Buffer.concat([Buffer.from(start), ...joined, Buffer.from(end)]);
}

const ordinaryUsers = 2000;
const firstOdd = 5_000_000;
const oddRecords = 8;

export const neighbors: FuzzTarget = {
  name: 'neighbors',
  about:
    'an odd record among thousands of ordinary ones becomes what it becomes alone: element, notes, rejection',
  share: 0.1,
  inTests: 4,
  async open() {
    const opened = new Map<Layout, Promise<Ordinary>>();
    return fuzzProperty(drawn(makeInput), async ({ layout, records }, draw) => {
      const ordinary = opened.get(layout) ?? tryOrdinary(layout);
      opened.set(layout, ordinary);
      await compare(records, await ordinary, draw);
    });
  },
};

function makeInput(draw: Draw) {
  const layout = draw.pick(layouts);
  const dice = createDice(1 + draw.below(1e9));
  const records = Array.from({ length: 1 + draw.below(oddRecords) }, (_, at) => {
    const text = Buffer.from(printOdd(layout.makeUser(firstOdd + at * 1000 + draw.below(1000), dice), draw));
    return draw.chance(0.2) ? mutate(text, draw) : text;
  });
  // What is not one record ends the list around it.
  return { layout, records: records.filter((record) => !isOneDocument(layout) || isOneOrBroken(record)) };
}

function isOneOrBroken(record: Buffer) {
  if (record.toString().trim() === '') return false;
  const inList = concat('{"users":[', [record], '', ']}');
  return parseStrictly(record) !== broken || parseStrictly(inList) === broken;
}

/** What is written and said of each record of a file, or why the run has failed. */
type Run = (records: readonly Buffer[]) => Promise<readonly string[] | IdportError>;

interface Ordinary {
  readonly run: Run;
  readonly records: readonly Buffer[];
  readonly said: readonly string[];
}

async function tryOrdinary(layout: Layout): Promise<Ordinary> {
  const { provider, makeUser, print } = layout;
  const read = await openRecords(provider, options[provider], usualJob.policy);
  const run: Run = async (records) => {
    const found = await read([memoryInput('users', toFile[provider](records))]);
    if (found instanceof IdportError) return found;
    const lead = isOneDocument(layout) ? 0 : linesTried;
    const { elements, said } = found;
    return [...elements.slice(lead).map((element) => JSON.stringify(element)), ...said.slice(lead)].map(
      (text) => text.replace(/line \d+, byte \d+/, 'line 1, byte 1'),
    );
  };
  const dice = createDice(7);
  const records = Array.from({ length: ordinaryUsers }, (_, index) =>
    Buffer.from(print(makeUser(index, dice))),
  );
  const said = await run(records);
  if (said instanceof IdportError) throw said;
  return { run, records, said };
}

/** Puts the odd records between ordinary ones. What comes of all must be what came of each apart. */
async function compare(odd: readonly Buffer[], { run, records, said }: Ordinary, draw: Draw) {
  const among = (some: readonly Buffer[]) => {
    const places = some.map(() => draw.below(ordinaryUsers + 1)).toSorted((a, b) => a - b);
    return run([
      ...some.flatMap((record, at) => [...records.slice(places[at - 1] ?? 0, places[at]), record]),
      ...records.slice(places.at(-1)),
    ]);
  };
  const sound: Buffer[] = [];
  const expected = [...said];
  for (const record of odd) {
    const alone = await run([record]);
    if (alone instanceof IdportError) {
      expectSame('a failed run', (await among([record])) instanceof IdportError, true);
    } else {
      sound.push(record);
      expected.push(...alone);
    }
  }
  const mixed = await among(sound);
  if (mixed instanceof IdportError) throw mixed;
  // A difference names what one list has and the other has not.
  expectSame('all records', subtract(mixed, expected), subtract(expected, mixed));
}

function subtract(items: readonly string[], others: readonly string[]) {
  const left = new Map<string, number>();
  for (const item of others) left.set(item, (left.get(item) ?? 0) + 1);
  return items.filter((item) => {
    const count = left.get(item) ?? 0;
    left.set(item, count - 1);
    return count <= 0;
  });
}
