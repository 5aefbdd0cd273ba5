/** What is published: nothing runs when it is installed, and everything that is promised is there. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { filesBelow, readProject, root } from '../support/folder.ts';

const read = (name: string) => JSON.parse(readProject(name));
const { dependencies, files, scripts } = read('package.json');

interface Locked {
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
}
const locked = Object.entries(read('package-lock.json').packages as Record<string, Locked>);

describe('the package', () => {
  it('has no dependency with an install script', () => {
    const runtime = locked.filter(([path, { dev }]) => path !== '' && dev !== true);
    expect(runtime.length).toBeGreaterThan(Object.keys(dependencies).length);
    expect(runtime.filter(([, { hasInstallScript }]) => hasInstallScript === true)).toEqual([]);
  });

  it('has no install script of its own', () => {
    for (const name of ['preinstall', 'install', 'postinstall', 'prepare'])
      expect(scripts).not.toHaveProperty(name);
  });

  it('has each module that a worker thread loads by name', () => {
    const build = readProject('scripts/bundle.js');
    const built = [...build.matchAll(/^ {2}'?([a-z/-]+)'?: '(src\/.+\.ts)',$/gm)];
    const names = built.map(([, name]) => name);
    for (const [, , source] of built) expect(existsSync(root + source)).toBe(true);
    const sources = filesBelow('src').filter((name) => name.endsWith('.ts'));
    const loaded = sources.flatMap((name) =>
      Array.from(
        readProject(name).matchAll(/moduleUrl\(import\.meta\.url, '(.+?)'\)/g),
        ([, beside]) => beside,
      ),
    );
    expect(loaded).toHaveLength(3);
    expect(names).toEqual(expect.arrayContaining(loaded));
  });

  it.each(['index', 'webhooks/index', 'server/library'])('%s adds no listener to its process', (name) => {
    const script = `await import('./dist/${name}.js');
      process.stdout.write(String(['SIGINT', 'SIGTERM', 'SIGHUP', 'warning'].map((one) => process.listenerCount(one))));`;
    const node = ['--input-type=module', '--no-warnings', '--eval', script];
    expect(execFileSync(process.execPath, node, { cwd: root, encoding: 'utf8' })).toBe('0,0,0,0');
  });

  it('has exactly the needed files', () => {
    const dry = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [{ files: packed }] = JSON.parse(dry) as [{ files: { path: string }[] }];
    const realm = 'fixtures/keycloak/typical/realm.json';
    const allowed = ['package.json', 'README.md', 'LICENSE', ...files];
    const paths = packed.map(({ path }) => path);
    const isAllowed = (path: string) => allowed.some((name) => `${path}/`.startsWith(`${name}/`));
    expect(paths.filter((path) => !isAllowed(path))).toEqual([]);
    expect(paths).toEqual(
      expect.arrayContaining(['LICENSE', 'README.md', 'bin/idport.js', 'docs/README.md', realm]),
    );
    expect(paths.filter((path) => /\.(?:tsbuildinfo|tmp|journal)$|(?:^|\/)\./.test(path))).toEqual([]);
  });

  it('has a source map for each module, without sources', () => {
    const names = filesBelow('dist');
    const modules = names.filter((name) => name.endsWith('.js') && !name.startsWith('dist/report-page'));
    expect(modules.length).toBeGreaterThan(10);
    // A module that only passes on names of others has no lines of src/.
    const hasLines = (name: string) => !/^(?:(?:import|export) [^\n]*\n?)+$/.test(readProject(name));
    expect(modules.filter((name) => hasLines(name) && !names.includes(`${name}.map`))).toEqual([]);
    const { sources, sourcesContent } = read('dist/cli/start.js.map');
    expect(sources).toContain('../../src/cli/start.ts');
    expect(sourcesContent).toBeUndefined();
  });
});
