/**
 * What is loaded before anything runs: the libraries that take time, and zod with the schemas of the service, which takes 30 MB,
 * only where they are needed.
 */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readProject } from '../support/folder.ts';

/**
 * The files of src/ that one file brings with it, and the packages that they name. `import()` loads nothing, nor does what is
 * marked as a type.
 */
function loadedWith(file: string) {
  const files = new Set<string>();
  const packages = new Set<string>();
  const visit = (path: string) => {
    if (files.has(path)) return;
    files.add(path);
    for (const [, clause = '', from = ''] of readProject(`src/${path}`).matchAll(
      /^(?:import|export) ([^;]*?from )?'([^']+)';/gms,
    )) {
      if (clause.startsWith('type ')) continue;
      if (from.startsWith('.')) visit(join(path, '..', from));
      else if (!from.startsWith('node:')) packages.add(from);
    }
  };
  visit(file);
  return { files, packages };
}

describe('modules loaded at startup', () => {
  it('are one file for a bare --version', () => {
    expect(loadedWith('cli/start.ts')).toEqual({ files: new Set(['cli/start.ts']), packages: new Set() });
  });

  it('are commander, flags and providers for --help, and no command', () => {
    const { files, packages } = loadedWith('cli/main.ts');
    expect([...packages]).toEqual(['commander']);
    const light =
      /^(cli|flags|lib|storage)\/|^sources\/(\w+\/(entry|flags|options)|providers|known-exports|table\/built-in)\.ts$|^\w+\.ts$/;
    expect([...files].filter((file) => !light.test(file))).toEqual([]);
    expect(files).toContain('cli/verbs/actions.ts');
  });

  it.each([
    'commands/migrate.ts',
    'commands/check.ts',
    'flows/convert/convert-batch.ts',
    'sources/keycloak/provider.ts',
    'sources/auth0/provider.ts',
    'sources/table/provider.ts',
  ])('include no package for a conversion or a check: %s', (file) => {
    // The build makes it a part of the program.
    const bundled = 'libphonenumber-js/min';
    expect([...loadedWith(file).packages].filter((name) => name !== bundled)).toEqual([]);
  });

  it('include no package for messages without colors', () => {
    for (const file of ['reporter', 'plain', 'quiet', 'json'])
      expect([...loadedWith(`terminal/${file}.ts`).packages]).toEqual([]);
  });
});
