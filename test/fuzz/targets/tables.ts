/** One hostile record or damaged bytes in a table of users: the run ends with one clear error, or no other user is touched. */
import { IdportError } from '../../../src/errors.ts';
import { recogniseOther } from '../../../src/sources/recognise.ts';
import { readMapping } from '../../../src/sources/table/mapping/read.ts';
import { plainBytes } from '../../../src/storage/plain-bytes.ts';
import { memoryInput } from '../../support/memory-input.ts';
import { usualJob, usualKeycloak } from '../../support/usual-job.ts';
import { openRecords } from '../convert.ts';
import { drawn } from '../arbitraries.ts';
import { type FuzzTarget, fuzzProperty } from '../target.ts';
import {
  damage,
  type Damaged,
  type Format,
  formats,
  markOf,
  soundText,
  type User,
  users,
} from '../tables.ts';

const mapping = await readMapping(
  `idport: 1
source: { columns: optional, table: users }
user: { id: id, userName: login, email: email, emailVerified: true, fullName: name, metadata: { extra: extra } }
password: { from: hash, format: auto, pepper: none, prehash: none }
`,
  'map.yaml',
);
const options = {
  ...usualKeycloak,
  emailVerified: false,
  metadata: 'attributes',
  mapping,
  mappingName: 'map.yaml',
  isOwnMapping: true,
  plaintext: 'skip',
  secrets: {},
  now: 0,
};

const jsonLines = formats.find(({ name }) => name === 'json-lines')!;

interface Item {
  readonly id: string;
  readonly text: string;
}

interface Outcome {
  readonly written: readonly Item[];
  /** Names, place and reason of each. */
  readonly rejected: readonly string[];
  readonly shown: string;
}

type Run = (bytes: Uint8Array, blockBytes: number, isRecognised?: boolean) => Promise<Outcome | IdportError>;

async function openRun({ provider }: Format): Promise<Run> {
  const records = await openRecords(provider, options, usualJob.policy);
  return async (bytes, blockBytes, isRecognised) => {
    const seen = isRecognised ? recogniseOther(bytes, provider) : undefined;
    if (seen !== undefined) throw new Error(`it looks like ${seen.source}`);
    const stored = memoryInput('users.txt', bytes, { blockBytes });
    const found = await records([{ ...stored, blocks: () => plainBytes('users.txt', stored.blocks()) }]);
    if (found instanceof IdportError) return found;
    const { elements, details, notices } = found;
    const metadata = new Map(details.map(({ id, metadata: text }) => [id, text ?? '']));
    return {
      written: elements.map((element) => ({
        id: element.userId,
        text: JSON.stringify(element) + (metadata.get(element.userId) ?? ''),
      })),
      rejected: details.flatMap(({ id, userName, email, rejected: why }) =>
        why === undefined ? [] : JSON.stringify([id, userName, email, why]),
      ),
      shown: JSON.stringify([notices, details.map(({ notes, rejected: why }) => [notes, why])]),
    };
  };
}

function checkError({ message, code }: IdportError) {
  if (!message.includes('users.txt')) throw new Error(`without the file: ${code} ${message}`);
  if (leaked(message)) throw new Error(`a hash is shown: ${message}`);
}

const leaked = (text: string) => users.some((user) => text.includes(markOf(user)));

function checkOutcome(
  { written, rejected, shown }: Outcome,
  damaged: Damaged,
  expected: ReadonlyMap<string, string>,
) {
  const difference = (text: string) => {
    throw new Error(`${damaged.kind}: ${text}\n${rejected.join('\n')}`);
  };
  const lineOf = ({ email }: User) =>
    damaged.bytes.subarray(0, damaged.bytes.indexOf(email)).toString('latin1').split('\n').length;
  if (leaked(shown)) throw new Error(`${damaged.kind}: a hash is shown: ${shown}`);
  for (const [at, user] of users.entries()) {
    const own = written.filter(({ id }) => id === user.id);
    const holders = written.filter(({ text }) => text.includes(markOf(user)));
    const misplaced = holders.find(({ id }) => id !== user.id);
    if (misplaced !== undefined && !(damaged.own.has(at) && !users.some(({ id }) => id === misplaced.id)))
      difference(`the hash of ${user.id} is at ${misplaced.text}`);
    if (damaged.own.has(at) || damaged.gone.has(at)) continue;
    const other = own.find(({ text }) => text !== expected.get(user.id));
    if (other !== undefined) difference(`${other.text} instead of ${expected.get(user.id)}`);
    const named = rejected.some(
      (text) =>
        text.includes(user.email) ||
        text.includes(user.id) ||
        new RegExp(`line ${lineOf(user)}\\b`).test(text),
    );
    if (own.length === 0 && !(damaged.near.has(at) && named)) difference(`${user.id} is lost`);
    if (own.length > 0 && named && damaged.own.size === 0 && !damaged.near.has(at))
      difference(`${user.id} is written and rejected`);
  }
}

/** Sound values that cannot be told from damage: the safe answer is to refuse them. */
const looksDamaged = /it seems to hold others|the next entry begins in the line/;

/** The guest's own result, from JSON lines, where no text means anything else. */
function checkGuest({ written, rejected }: Outcome, guest: User, alone: Outcome) {
  const one = written.find(({ id }) => id === guest.id)?.text;
  const other = alone.written.find(({ id }) => id === guest.id)?.text;
  if (one === other || (one === undefined && rejected.some((text) => looksDamaged.test(text)))) return;
  throw new Error(`the guest ${one} instead of ${other}\n${rejected.join('\n')}`);
}

/** A format with what becomes of the sound table in it. */
async function openFormat(format: Format) {
  const run = await openRun(format);
  const sound = await run(soundText(format), 4096);
  if (sound instanceof IdportError) throw sound;
  const expected: ReadonlyMap<string, string> = new Map(sound.written.map(({ id, text }) => [id, text]));
  if (!users.every((user) => expected.get(user.id)?.includes(user.hash)))
    throw new Error(`${format.name}: ${JSON.stringify(sound)}`);
  return { format, run, expected };
}

export const tables: FuzzTarget = {
  name: 'tables',
  about:
    'a damaged row ends the run, or costs itself and is named; every other user keeps every field and the right hash',
  share: 60,
  inTests: 2000,
  async open() {
    const opened = await Promise.all(formats.map(openFormat));
    const lines = await openRun(jsonLines);
    const inputs = drawn((draw) => {
      const { format, ...sound } = draw.pick(opened);
      return { ...sound, ...damage(format, draw) };
    });
    return fuzzProperty(inputs, async ({ run, expected, ...damaged }, draw) => {
      const { bytes, guest } = damaged;
      const whole = bytes.length + 1;
      const outcome = await run(bytes, draw.pick([whole, whole, whole, 300, 31]), guest !== undefined);
      if (outcome instanceof IdportError) {
        if (guest === undefined || looksDamaged.test(outcome.message)) return checkError(outcome);
        throw new Error(`a sound file is refused: ${outcome.message}`);
      }
      checkOutcome(outcome, damaged, expected);
      if (guest === undefined) return;
      const alone = await lines(soundText(jsonLines, guest), 4096);
      if (!(alone instanceof IdportError)) checkGuest(outcome, guest, alone);
    });
  },
};
