import { expect, it } from 'vitest';
import { withoutFlags } from '../../src/lib/shell-word.ts';

it('a line loses flags with their values, quoted or not, and nothing else', () => {
  const line = `idport import-users --journal 'a b'\\''s.journal' --org 1 --shard 1/4 --resume --id-map ids.csv --journals x`;
  const rest = 'idport import-users --org 1 --journals x';
  expect(withoutFlags(line, ['shard', 'journal', 'id-map', 'resume'])).toBe(rest);
});
