/**
 * What a conversion loads at its start: libraries that only some runs need are imported where they are used. zod with the
 * schemas of the service takes 30 MB.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const allowed = new Set(['libphonenumber-js/min']);

/** Each package that this module imports without `import()`, and the module that does. */
function packagesOf(entry: string): string[] {
  const seen = new Set<string>();
  const found: string[] = [];
  const visit = (file: string) => {
    if (seen.has(file)) return;
    seen.add(file);
    const imports = readFileSync(file, 'utf8').matchAll(
      /^(?:import|export)\s+(?!type\b)(?:[^'";]*?\bfrom\s+)?'([^']+)'/gm,
    );
    for (const [line, name = ''] of imports) {
      // A list of types alone is gone at run time.
      if (/\{\s*(?:type\s+[\w$]+(?:\s+as\s+[\w$]+)?\s*,?\s*)+\}/.test(line)) continue;
      const next = join(dirname(file), name);
      if (name.startsWith('.') && existsSync(next)) visit(next);
      else if (!name.startsWith('node:') && !allowed.has(name))
        found.push(`${relative(root, file)}: ${name}`);
    }
  };
  visit(join(root, entry));
  return found;
}

it.each([
  'src/commands/migrate.ts',
  'src/flows/convert/convert-job.ts',
  'src/sources/keycloak/provider.ts',
  'src/sources/auth0/provider.ts',
  'src/sources/table/provider.ts',
])('%s loads no library that it may not need', (entry) => {
  expect(packagesOf(entry)).toEqual([]);
});
