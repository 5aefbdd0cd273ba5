/** What is loaded before anything runs: the libraries that take time only where they are needed. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const src = new URL('../../src/', import.meta.url);

/** The files of src/ that one file brings with it, and the packages that they name; types and `import()` load nothing. */
function loadedWith(
  file: string,
  seen: Set<string> = new Set(),
): { files: Set<string>; packages: Set<string> } {
  const packages = new Set<string>();
  const visit = (path: string) => {
    if (seen.has(path)) return;
    seen.add(path);
    const text = readFileSync(new URL(path, src), 'utf8');
    for (const [, clause = '', from = ''] of text.matchAll(
      /^(?:import|export) ([^;]*?from )?'([^']+)';/gms,
    )) {
      if (isOfTypes(clause)) continue;
      if (from.startsWith('.')) visit(new URL(from, new URL(path, src)).href.slice(src.href.length));
      else if (!from.startsWith('node:')) packages.add(from);
    }
  };
  visit(file);
  return { files: seen, packages };
}

/** `verbatimModuleSyntax`: what is not marked as a type is loaded. */
function isOfTypes(clause: string): boolean {
  return clause.startsWith('type ');
}

describe('what is loaded', () => {
  it('for a bare --version is the one file that answers it', () => {
    expect(loadedWith('cli/start.ts')).toEqual({ files: new Set(['cli/start.ts']), packages: new Set() });
  });

  it('for the help is the parser of the command line the flags of the verbs and of the providers, and no command', () => {
    const { files, packages } = loadedWith('cli/main.ts');
    expect([...packages]).toEqual(['commander']);
    const light =
      /^(cli|flags|lib|storage)\/|^sources\/(\w+\/(entry|flags|options)|providers|known-exports|table\/built-in)\.ts$|^\w+\.ts$/;
    expect([...files].filter((file) => !light.test(file))).toEqual([]);
    expect(files).toContain('cli/verbs/actions.ts');
  });

  it('for a conversion and a check is no package, until a service is to be asked', () => {
    for (const command of ['migrate', 'check']) {
      // The build makes it a part of the program.
      expect([...loadedWith(`commands/${command}.ts`).packages]).toEqual(['libphonenumber-js/min']);
    }
  });

  it('for messages without colors is no package', () => {
    for (const file of ['reporter', 'plain', 'quiet', 'json'])
      expect([...loadedWith(`terminal/${file}.ts`).packages]).toEqual([]);
  });
});
