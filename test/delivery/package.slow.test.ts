/** What is published: nothing runs when it is installed, and everything that is promised is there. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
const read = (name: string): any => JSON.parse(readFileSync(new URL(name, root), 'utf8'));
const { dependencies, files, scripts } = read('package.json');

interface Locked {
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly hasInstallScript?: boolean;
  readonly engines?: { readonly node?: string };
}
const locked = Object.entries(read('package-lock.json').packages as Record<string, Locked>);

describe('the package', () => {
  it('has no dependency at run time that runs a script when it is installed', () => {
    const runtime = locked.filter(([path, { dev }]) => path !== '' && dev !== true);
    expect(runtime.length).toBeGreaterThan(Object.keys(dependencies).length);
    expect(runtime.filter(([, { hasInstallScript }]) => hasInstallScript === true)).toEqual([]);
  });

  it('runs no script of its own when it is installed', () => {
    for (const name of ['preinstall', 'install', 'postinstall', 'prepare'])
      expect(scripts).not.toHaveProperty(name);
  });

  it('has each module that a thread loads by its name', () => {
    const build = readFileSync(new URL('scripts/bundle.js', root), 'utf8');
    const built = [...build.matchAll(/^ {2}'?([a-z/-]+)'?: '(src\/.+\.ts)',$/gm)];
    const names = built.map(([, name]) => name);
    for (const [, , source] of built) expect(existsSync(new URL(source!, root))).toBe(true);
    const folder = new URL('src/', root);
    const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    );
    const loaded = sources.flatMap((name) => {
      const text = readFileSync(new URL(name, folder), 'utf8');
      return [...text.matchAll(/moduleUrl\(import\.meta\.url, '(.+?)'\)/g)].map(([, beside]) => beside);
    });
    expect(loaded).toHaveLength(3);
    expect(names).toEqual(expect.arrayContaining(loaded));
  });

  it('holds what is needed and nothing else', () => {
    const dry = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      cwd: fileURLToPath(root),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [{ files: packed }] = JSON.parse(dry) as [{ files: { path: string }[] }];
    const realm = 'fixtures/keycloak/typical/realm.json';
    const allowed = ['package.json', 'README.md', 'LICENSE', ...files];
    const unexpected = packed.filter(
      ({ path }) => !allowed.some((name) => path === name || path.startsWith(`${name}/`)),
    );
    expect(unexpected).toEqual([]);
    const paths = packed.map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining(['LICENSE', 'README.md', 'bin/idport.js', 'docs/README.md', realm]),
    );
    expect(paths.filter((path) => /\.(?:tsbuildinfo|tmp|journal)$|(?:^|\/)\./.test(path))).toEqual([]);
  });

  it('has a map for each module, with lines but without sources', () => {
    const folder = new URL('dist/', root);
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    const modules = names.filter((name) => name.endsWith('.js') && !name.startsWith('report-page'));
    expect(modules.length).toBeGreaterThan(10);
    // A module that only passes on names of others has no lines of src/.
    const hasLines = (name: string): boolean =>
      !/^(?:(?:import|export) [^\n]*\n?)+$/.test(readFileSync(new URL(name, folder), 'utf8'));
    expect(modules.filter((name) => hasLines(name) && !names.includes(`${name}.map`))).toEqual([]);
    const { sources, sourcesContent } = read('dist/cli/start.js.map');
    expect(sources).toContain('../../src/cli/start.ts');
    expect(sourcesContent).toBeUndefined();
  });
});
