import { describe, expect, it } from 'vitest';
import type { Input } from '../../../src/lib/input.ts';
import {
  withText,
  bothWays,
  compact,
  convert,
  count,
  late,
  sampleUsers,
  sampleUser,
  pretty,
  problemOf,
} from '../../support/unread-run.ts';

describe('a large file whose users are converted unread', () => {
  it.each([
    ['compact', compact],
    ['on many lines', pretty],
    ['a list of users alone', JSON.stringify(sampleUsers())],
    [
      "the operator's resource",
      JSON.stringify({ kind: 'K', spec: { realm: { realm: 'x', users: sampleUsers() } } }),
    ],
  ])('gives what the packed one gives, read once: %s', async (_, text) => {
    const { plain, packed } = bothWays(text);
    const [found, expected] = [await convert([plain]), await convert([packed])];
    expect(found.sampleUsers).toHaveLength(count);
    expect(found).toMatchObject({ scans: 1, opened: 1, closed: 1, failure: undefined });
    expect(found.guessed).toBeGreaterThanOrEqual(3);
    expect(expected).toMatchObject({ scans: 1, guessed: 0, failure: undefined });
    expect(found.sampleUsers).toEqual(expected.sampleUsers);
    expect(found.raw).toEqual(expected.raw);
  });

  it.each<[string, string]>([
    [
      'users inside of users look like them',
      JSON.stringify({
        realm: 'x',
        users: sampleUsers((number) =>
          number < 1000 ? {} : { friends: Array.from({ length: 9 }, () => sampleUser(1)) },
        ),
      }),
    ],
    [
      'what stands behind looks like them',
      JSON.stringify({ realm: 'x', users: sampleUsers().slice(0, 4500), clients: sampleUsers() }),
    ],
    [
      'federated users stand behind',
      JSON.stringify({ realm: 'x', users: sampleUsers().slice(0, 4500), federatedUsers: sampleUsers() }),
    ],
  ])('gives what the packed one gives where a guess is wrong: %s', async (_, text) => {
    const { plain, packed } = bothWays(text);
    const [found, expected] = [await convert([plain]), await convert([packed])];
    expect(expected.sampleUsers.length).toBeGreaterThanOrEqual(4500);
    expect(found).toMatchObject({ scans: 2, opened: 1, closed: 1, failure: undefined });
    expect(found.guessed).toBeGreaterThanOrEqual(1);
    expect(found.sampleUsers).toEqual(expected.sampleUsers);
    expect(found.raw).toEqual(expected.raw);
  });

  it.each<[string, string | Uint8Array]>([
    ['a value that is none', withText(late, '"x":nul,')],
    ['a control character in a text', withText(late + 6, '\n')],
    [
      'a comma too few',
      withText(late - 2, '').replace(`},{"id":"id-${count - 40}"`, `}{"id":"id-${count - 40}"`),
    ],
    ['a bracket too many', withText(late - 2, ']')],
    [
      'a byte that is not UTF-8',
      Buffer.from(compact).fill(
        0xe9,
        Buffer.byteLength(compact.slice(0, late + 7)),
        Buffer.byteLength(compact.slice(0, late + 8)),
      ),
    ],
    ['its end missing', compact.slice(0, late)],
    ['its last bracket missing', compact.slice(0, -1)],
    ['something behind its end', `${compact}x`],
  ])('fails as the packed one does: %s', async (_, bytes) => {
    const { plain, packed } = bothWays(bytes);
    const [found, expected] = [await convert([plain]), await convert([packed])];
    expect(problemOf(expected)).toMatchObject({ code: expect.stringMatching(/^input:/) as string });
    expect(problemOf(found)).toEqual(problemOf(expected));
    expect([found.guessed > 2, found.sampleUsers.length > 1000]).toEqual([true, true]);
    expect(found.sampleUsers.slice(0, expected.sampleUsers.length)).toEqual(
      expected.sampleUsers.slice(0, found.sampleUsers.length),
    );
    expect([found.opened, found.closed]).toEqual([1, 1]);
  });

  it('loses none where it is one of several, and a guess is wrong in the second', async () => {
    const decoys = JSON.stringify({
      realm: 'x',
      users: sampleUsers().slice(0, 4500),
      clients: sampleUsers(),
    });
    const [one, two, three] = [bothWays(compact), bothWays(decoys), bothWays(pretty)];
    const named = (input: Input, name: string): Input => ({ ...input, name });
    const inputsOf = (form: 'plain' | 'packed'): Input[] =>
      [one, two, three].map((each, number) => named(each[form], `realm-${number}.json`));
    const [found, expected] = [await convert(inputsOf('plain')), await convert(inputsOf('packed'))];
    expect(found).toMatchObject({ scans: 2, failure: undefined });
    expect(found.opened).toBe(found.closed);
    expect(found.sampleUsers).toHaveLength(2 * count + 4500);
    expect(found.sampleUsers).toEqual(expected.sampleUsers);
  });
});
