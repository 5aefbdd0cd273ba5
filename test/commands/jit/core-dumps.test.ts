import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { mayDumpCore } from '../../../src/commands/jit/serve.ts';
import { createTestFolder } from '../../support/folder.ts';

it.each([
  ['0', false],
  ['unlimited', true],
  ['1048576', true],
])('mayDumpCore with a soft limit of %s for core files returns %s', (soft, may) => {
  const file = join(createTestFolder(), 'limits');
  const head = 'Limit                     Soft Limit           Hard Limit           Units     \n';
  writeFileSync(
    file,
    `${head}Max core file size        ${soft.padEnd(20)} unlimited            bytes     \n`,
  );
  expect(mayDumpCore(file)).toBe(may);
});

it('mayDumpCore returns false if the limits file does not exist', () => {
  expect(mayDumpCore(join(createTestFolder(), 'none'))).toBe(false);
});
