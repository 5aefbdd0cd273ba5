import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonWriter } from '../../src/json/writer.ts';

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom('a', ' ', '"', '\\', '\n', '\u007f', 'é', '美', '🎈', '\ud800', '\udc00'),
  }),
);

function write(texts: readonly string[]) {
  const out = new JsonWriter();
  out.put('["');
  texts.forEach((text, place) => {
    if (place > 0) out.put('","');
    out.text(text);
  });
  out.put('"]');
  return out;
}

describe('the JSON writer', () => {
  it('writes the same as JSON.stringify, as text and bytes, repeatedly', () => {
    fc.assert(
      fc.property(fc.array(anyText, { minLength: 1 }), (texts) => {
        const json = JSON.stringify(texts);
        for (const out of [write(texts), write(texts)]) {
          expect(out.toString()).toBe(json);
          expect(out.length).toBe(Buffer.byteLength(json));
          expect(Buffer.from(out.toBytes())).toEqual(Buffer.from(json));
        }
      }),
    );
  });

  it('escapes every character that JSON.stringify escapes', () => {
    const texts = Array.from({ length: 0x10000 }, (_, unit) => `a${String.fromCharCode(unit)}`);
    expect(texts.filter((text) => write([text]).toString() !== JSON.stringify([text]))).toEqual([]);
  });

  it('writes text longer than its buffer', () => {
    const texts = Array.from({ length: 2000 }, (_, n) => `${'é'.repeat(n % 50)}${'a'.repeat(n)}`);
    const json = JSON.stringify(texts);
    expect(write(texts).toString()).toBe(json);
    // Comparing bytes one by one would take most of a minute.
    expect(Buffer.from(write(texts).toBytes()).toString()).toBe(json);
  });

  it('counts the UTF-8 bytes of a text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(new JsonWriter().text(text)).toBe(Buffer.byteLength(text));
      }),
    );
  });
});
