import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fixture } from '../support/folder.ts';

it.each(['keycloak/exports', 'hashes'])('fixtures/%s is unchanged', (name) => {
  const folder = fixture(name);
  const sums = (readdirSync(folder, { recursive: true }) as string[])
    .filter((file) => !/^(?:README\.md|SHA256SUMS)$/.test(file) && statSync(join(folder, file)).isFile())
    .toSorted()
    .map(
      (file) =>
        `${createHash('sha256')
          .update(readFileSync(join(folder, file)))
          .digest('hex')}  ${file}\n`,
    );
  expect(sums.join('')).toBe(readFileSync(join(folder, 'SHA256SUMS'), 'utf8'));
});
