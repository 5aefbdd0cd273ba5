/** Hashes in forms that the verified rows do not have, and hashes of every source, corrupted. */
import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  type Decoded,
  isPlain,
  isRefused,
  isCheckable,
  secretsOf,
  type SourceForm,
} from '../../../src/records/hash-forms/form.ts';
import type { HashParts } from '../../../src/records/hash-forms/row.ts';
import { hashDecoders } from '../../../src/records/hash-forms/decoders.ts';
import { verifyForm } from '../../../src/records/hash-forms/verify-form.ts';
import { isProblem } from '../../../src/records/mcf/algorithm.ts';
import { recognise, verifyPassword } from '../../../src/records/mcf/recognise.ts';
import { reasons } from '../../../src/records/reasons.ts';
import { mutated } from '../../support/mcf.ts';
import { decodedForms, decodeMade, type MadeHash, madeHashes } from '../../support/samples.ts';

/** What the source would say to a password: yes, no, or that it cannot be known. */
function accepts({ secrets }: MadeHash, decoded: Decoded, typed: string) {
  if (isPlain(decoded)) return Promise.resolve(decoded.plain === typed);
  if (!isRefused(decoded)) return verifyPassword(decoded.mcf, typed);
  return decoded.form === undefined ? undefined : verifyForm(decoded.form, typed, secrets);
}

const named = madeHashes().map((row) => [`${row.decoder}: ${row.form}`, row] as const);

test.each(named)('%s: accepts only its password, or is refused with its reason', async (_name, row) => {
  const { decoder, parts, code, password, uncheckable } = row;
  const decoded = decodeMade(decoder, parts);
  expect(isRefused(decoded) ? decoded.code : undefined).toBe(code);
  const right = await accepts(row, decoded, password);
  const wrong = await accepts(row, decoded, `${password}?`);
  expect([right, wrong]).toEqual(uncheckable ? [undefined, undefined] : [true, false]);
});

/** What programs do to a whole text. */
const conversions = fc.constantFrom<(text: string) => string>(
  (text) => text + text,
  (text) => text.toUpperCase(),
  (text) => text.toLowerCase(),
  (text) => text.replace(/=+$/, ''),
  (text) => text.replaceAll('+', '-').replaceAll('/', '_'),
);

/** One of the texts of a stored hash is another. */
function corrupt(parts: HashParts, at: number, change: (text: string) => string) {
  const { options = {}, secret: _secret, ...texts } = parts;
  const places = [
    ...Object.entries(texts).map(([key, text]) => ({ key, text, isOption: false })),
    ...Object.entries(options).map(([key, value]) => ({ key, text: String(value), isOption: true })),
  ].filter(({ text }) => text !== '');
  const place = places[at % places.length];
  if (place === undefined) return parts;
  const changed = { [place.key]: change(place.text) };
  return place.isOption ? { ...parts, options: { ...options, ...changed } } : { ...parts, ...changed };
}

const affordable: Readonly<Record<string, number>> = {
  rounds: 5000,
  cost: 5,
  memory: 256,
  time: 3,
  threads: 4,
  ln: 8,
  r: 16,
  p: 4,
  iterations: 256,
};

/** One of each form. */
const whole = [
  ...Array.from(new Map(named), ([name, { decoder, parts }]) => [name, decoder, parts] as const),
  ...decodedForms().map(({ decoder, parts, title }) => [`${decoder}: ${title}`, decoder, parts] as const),
];

/** With less work: whether a password can be checked does not depend on the usual costs. */
const cheapened = (form: SourceForm) =>
  JSON.parse(
    JSON.stringify(form)
      .replaceAll(/(?<=\$2[abxy]\$)(?:0[5-9]|1\d)(?=\$)/g, '04')
      .replaceAll(/(?<=\$ln=)(?:9|1\d)(?=,)/g, '4')
      .replaceAll(/m=\d{3,6},t=\d\d?,p=([1-8])\$/g, 'm=64,t=1,p=$1$$'),
  ) as SourceForm;

/** What a list of `idport jit` counts as checked at the first login can be checked, and nothing else. */
async function expectHonest(form: SourceForm) {
  // Large numbers are rounds: they would take minutes.
  if (/":\d{5,}/.test(JSON.stringify(form))) return;
  const secrets = Object.fromEntries(secretsOf(form).map((name) => [name, Buffer.from('a secret')]));
  const verdict = await verifyForm(cheapened(form), 'another password', secrets);
  expect(isCheckable(form)).toBe(typeof verdict === 'boolean');
}

describe('a corrupted hash', () => {
  it('is tested for every decoder', () => {
    const made = new Set(whole.map(([, decoder]) => decoder));
    // A text that is the password itself.
    expect([...hashDecoders.keys()].filter((name) => !made.has(name))).toEqual(['plain']);
  });

  test.each(whole)('%s: is refused, or accepts no other password', async (_name, decoder, made) => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.option(conversions), fc.gen(), async (at, convert, draw) => {
        const parts = corrupt(made, at, convert ?? ((text) => draw(mutated, fc.constant(text))));
        const decoded = decodeMade(decoder, parts);
        expect(!isRefused(decoded) || (decoded.code in reasons && decoded.detail !== '')).toBe(true);
        if (!isPlain(decoded) && decoded.form !== undefined) await expectHonest(decoded.form);
        if (isPlain(decoded) || isRefused(decoded)) return;
        const found = recognise(decoded.mcf);
        expect(isProblem(found) ? found.detail : found.mcf).toBe(decoded.mcf);
        // A short key is met by any of many passwords.
        const key = /^\$(?:pbkdf2|scrypt|argon2)/.test(decoded.mcf)
          ? decoded.mcf.split('$').at(-1)
          : undefined;
        expect(Buffer.from(key ?? 'a key of some bytes', 'base64').length).toBeGreaterThanOrEqual(8);
        const costs = isProblem(found) ? {} : found.parameters;
        if (Object.entries(costs).some(([name, value]) => value > affordable[name]!)) return;
        // The library computes no Argon2 with less.
        if ((costs['memory'] ?? Infinity) < 8 * (costs['threads'] ?? 1)) return;
        expect(await verifyPassword(decoded.mcf, 'another password')).toBe(false);
      }),
      { numRuns: 25 },
    );
  });
});
