import { describe, expect, it } from 'vitest';
import { jsonText } from '../../src/json/parse.ts';

const kept = 4 * 1024 * 1024;

describe('a text longer than any field', () => {
  it.each([
    ['letters', 'x'],
    ['characters of three bytes', '€'],
    ['characters of four bytes', '😀'],
    ['escapes', '\\u20ac'],
    ['escaped backslashes', '\\\\'],
    ['escaped quotes', '\\"'],
    ['backslashes before letters', '\\\\u'],
  ])('is cut to whole characters: %s', (_, character) => {
    for (let shift = 0; shift < character.length; shift++) {
      const whole = `${'-'.repeat(shift)}${character.repeat(Math.ceil((kept + 100) / Buffer.byteLength(character)))}`;
      const text = `{"id":1,"long":"${whole}","short":"${character}"}`;
      const value = JSON.parse(jsonText(Buffer.from(text))!);
      const all = JSON.parse(text);
      expect(value.short).toBe(all.short);
      expect(all.long.startsWith(value.long)).toBe(true);
      expect(Buffer.byteLength(JSON.stringify(value.long))).toBeGreaterThan(kept / 7);
      expect(Buffer.byteLength(value.long)).toBeLessThan(Buffer.byteLength(all.long));
    }
  });

  it('is not read past a missing quote', () => {
    const lines = [
      '{"id":1}',
      '{"id":"2}',
      `{"id":3,"note":'${'x'.repeat(kept)}'}`,
      '{"id":4}',
      '{"id":"5"}',
    ].join('\n');
    expect(jsonText(Buffer.from(lines))).toBe(lines);
  });
});
