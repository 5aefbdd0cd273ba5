import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPick } from '../../src/lib/json-pick.ts';
import type { Copy } from '../../src/lib/stencil-maker.ts';
import { createStencils, written } from '../../src/lib/stencils.ts';
import { spellJson } from '../support/json-text.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { bytesFor, copy, expectCopies, type Item, seed, wanted } from '../support/copied-items.ts';

const start = (how = {}): NonNullable<ReturnType<typeof createStencils>> =>
  createStencils(wanted, how, seed)!;

const letters = (units: string, maxLength: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...Array.from(units)), minLength: 1, maxLength });
const base64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const odd = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.constantFrom('', ' a', 'a  b', '\u00a0', null, 7),
);
const secret = fc.oneof(
  {
    weight: 15,
    arbitrary: fc.stringMatching(/^[A-Za-z0-9+/]{16}$/).map((value) => JSON.stringify({ value, iv: 'x' })),
  },
  letters(`${base64}=`, 24).map((value) => JSON.stringify({ value })),
  letters(`${base64}":={}\\ `, 24),
  fc.constantFrom(
    '{"value":"ABCDEFGHIJKLMNOQ"',
    '{"value" : "ABCDEFGHIJKLMNOQ"}',
    '{"AAAAAAAAAAAAAAAA":"b"}',
  ),
);
const item = fc.record(
  {
    id: fc.oneof({ weight: 15, arbitrary: letters('aB3-._', 40) }, odd),
    login: fc.oneof(
      { weight: 15, arbitrary: letters('uX9@+-._', 40).map((text) => `${text}@example.org.of.some-length`) },
      letters('x', 120),
      odd,
    ),
    name: fc.oneof(
      { weight: 15, arbitrary: letters(`nO "\\é李🎈\u2028\u3000'<`, 12) },
      letters('n', 60),
      odd,
    ),
    mail: fc.oneof(
      { weight: 15, arbitrary: fc.constantFrom('a@b', 'A.b+c@d-e.f', 'x@y@z', 'a..b@c', '.a@b') },
      odd,
    ),
    plan: fc.constantFrom(1, 'gold', true, null, ['x', { y: '"' }]),
    secrets: fc.array(fc.record({ data: secret }), { maxLength: 1 }),
  },
  { requiredKeys: ['id', 'login'] },
);

describe('stencils', () => {
  it('write what the slow way writes, and leave the rest, for any elements in any spelling', () => {
    let copies = 0;
    const pick = createPick(wanted)!;
    fc.assert(
      fc.property(
        fc.array(item, { minLength: 1, maxLength: 12 }),
        fc.integer(),
        fc.boolean(),
        (items, number, plain) => {
          const stencils = start();
          const random = seededRandom(number);
          const bytes = Buffer.from(
            items.map((one) => (plain ? JSON.stringify(one) : spellJson(one as never, random))).join(),
          );
          const values = pick(bytes);
          for (let round = 0; round < 4; round++) {
            const pressed = stencils.press(bytes, copy);
            expect(pressed === undefined).toBe(values === undefined);
            if (pressed !== undefined && values !== undefined) copies += expectCopies(pressed, values);
          }
        },
      ),
      { numRuns: 400 },
    );
    expect(copies).toBeGreaterThan(300);
  });

  it('are made of the second element of a kind, and fill in other texts from then on', () => {
    const stencils = start();
    const batch = bytesFor([
      { id: 'one', login: 'ann@example.org', name: 'Ann Example', plan: 3 },
      { id: 'two', login: 'bob@example.org', name: 'Bob Example', plan: 3 },
    ]);
    expect(stencils.press(batch, copy)!.values).not.toContain(written);
    const pressed = stencils.press(
      bytesFor([
        { plan: 3, id: 'other', login: 'order' },
        { id: 'three', login: 'cem@example.org', name: 'Cem "C" é', plan: 3 },
        { id: 'four', login: 'dag@example.org', name: 'Dag Example', plan: 4 },
      ]),
      copy,
    )!;
    expect(pressed.values.map((value) => value === written)).toEqual([false, true, false]);
    expect(Buffer.from(pressed.output).toString()).toBe(
      ',{"login":"cem@example.org","id":"three","name":"Cem \\"C\\" é","plan":3}',
    );
  });

  it.each<[string, (made: Copy, value: Item) => Copy | undefined]>([
    [
      'writes a text in another way',
      (made, { name }) => ({ ...made, bytes: Buffer.from(`,"${String(name).toUpperCase()}"`) }),
    ],
    ['counts characters', (made, { name }) => ({ ...made, size: String(name).length })],
    ['judges a text', (made, { name }) => ({ ...made, facts: Number(String(name).length > 20) })],
    ['speaks of a text', (made, { name }) => ({ ...made, remarks: [name] })],
    ['hides who it is', (made) => ({ ...made, id: 'x' })],
    ['gives up', () => undefined],
    [
      'throws',
      () => {
        throw new Error('no');
      },
    ],
  ])('are never made where the slow way %s', (_, change) => {
    const stencils = start();
    const batch = bytesFor(
      [1, 2, 3].map((n) => ({
        id: `i${n}`,
        login: `login.of.somebody.else@${n}.org`,
        name: `n${n}`,
        plan: 1,
      })),
    );
    const differently = (value: unknown): Copy | undefined => change(copy(value)!, value as Item);
    for (let round = 0; round < 3; round++) {
      expect(stencils.press(batch, differently)!.values).not.toContain(written);
    }
  });

  it('are not made where an oddity is treated in another way', () => {
    const particular = (value: unknown): Copy | undefined => {
      const made = copy(value)!;
      return made.name.startsWith('robot-') ? { ...made, facts: 0 } : made;
    };
    const batch = bytesFor(
      [1, 2, 3].map((n) => ({ id: `i${n}`, login: `login.of.somebody.else@${n}.org`, plan: 1 })),
    );
    for (const [oddities, expected] of [
      [{ userName: ['robot-'] }, false],
      [{}, true],
    ] as const) {
      const stencils = start(oddities);
      stencils.press(batch, particular);
      expect(stencils.press(batch, particular)!.values.includes(written)).toBe(expected);
    }
  });

  it('are forgotten where the slow way changes', () => {
    const stencils = start();
    const batch = bytesFor(
      [1, 2, 3].map((n) => ({ id: `i${n}`, login: `login.of.somebody.else@${n}.org`, plan: 1 })),
    );
    stencils.press(batch, copy);
    expect(stencils.press(batch, copy)!.values).toEqual([written, written, written]);
    stencils.standOn('another ground');
    expect(stencils.press(batch, copy)!.values).not.toContain(written);
    expect(stencils.press(batch, copy)!.values).toContain(written);
  });

  it('are taught to another thread, which needs to see nothing twice', () => {
    const teacher = start();
    const remarked = (value: unknown): Copy => ({ ...copy(value)!, remarks: ['seen before'] });
    const batch = bytesFor(
      [1, 2, 3].map((n) => ({ id: `i${n}`, login: `login.of.somebody.else@${n}.org`, plan: 1 })),
    );
    teacher.standOn('this ground');
    teacher.press(batch, remarked);
    const expected = teacher.press(batch, remarked)!;
    const pupil = start();
    pupil.adopt(structuredClone(teacher.lesson()));
    pupil.standOn('this ground');
    const pressed = pupil.press(batch, () => expect.unreachable('the slow way'))!;
    expect(pressed.values).toEqual([written, written, written]);
    expect(Buffer.from(pressed.output)).toEqual(Buffer.from(expected.output));
    expect(pressed.remarks(1)).toEqual(['seen before']);
    pupil.standOn('another ground');
    expect(pupil.press(batch, copy)!.values).not.toContain(written);
  });

  it('go on to be learned behind what was taught', () => {
    const people = (plan: number): Buffer =>
      bytesFor([1, 2, 3].map((n) => ({ id: `i${n}`, login: `login.of.somebody.else@${n}.org`, plan })));
    const teacher = start();
    teacher.press(people(1), copy);
    const pupil = start();
    pupil.adopt(teacher.lesson());
    pupil.press(people(2), copy);
    for (const plan of [1, 2]) {
      expect(pupil.press(people(plan), copy)!.values).toEqual([written, written, written]);
    }
  });

  it('have a limit, behind which elements go the slow way', () => {
    const stencils = start();
    let count = 0;
    for (let kind = 0; kind < 1300; kind++) {
      const batch = bytesFor(
        [1, 2, 3].map((n) => ({
          id: `i${n}`,
          login: `login.of.somebody.else@${n}.org`,
          plan: `plan ${kind}`,
        })),
      );
      stencils.press(batch, copy);
      const pressed = stencils.press(batch, copy)!;
      count += pressed.values.filter((value) => value === written).length;
    }
    expect(count).toBeGreaterThan(300);
    expect(count).toBeLessThan(3900);
  });

  it('take lines only where each is one object', () => {
    const stencils = start();
    const one = '{"id":"a","login":"somebody.or.other@example.org"}';
    const batch = Buffer.from(`${one},${one},${one}`);
    const starts = [0, 1, 2].map((place) => place * (one.length + 1));
    stencils.press(batch, copy, starts);
    expect(stencils.press(batch, copy, starts)!.values).toEqual([written, written, written]);
    expect(stencils.press(batch, copy, [0, 5, 9])).toBeUndefined();
    expect(stencils.press(batch, copy, starts.slice(1))).toBeUndefined();
  });

  it('leave what is not JSON', () => {
    expect(start().press(Buffer.from('{"id":'), copy)).toBeUndefined();
    expect(start().press(Buffer.from('1,"a",[{"id":"x"}],{}'), copy)!.values).toEqual([
      1,
      'a',
      [{ id: 'x' }],
      {},
    ]);
  });
});
