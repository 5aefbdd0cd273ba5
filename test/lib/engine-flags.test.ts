import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { engineFlags } from '../../src/lib/engine-flags.ts';

it('V8 is told nothing that it does not know, since it would print an error', () => {
  const known = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' });
  const names = engineFlags.map((flag) => flag.split('=')[0]);
  expect(names).not.toEqual([]);
  for (const name of names) expect(known).toContain(`  ${name} `);
});
