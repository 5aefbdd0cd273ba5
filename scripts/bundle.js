// Bundles the program into a folder: few modules, because Node takes longer to find and link hundreds of small ones
// than to run them. The folder stands beside src/, as dist/ does. `bundleScript` makes one script of a file.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { parse } from 'yaml';

const root = fileURLToPath(new URL('..', import.meta.url));
const { dependencies, peerDependencies } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);

/** What is loaded by name: by the command, by importers of the package, and by threads. */
const entries = {
  'cli/start': 'src/cli/start.ts',
  'commands/demo': 'src/commands/demo.ts',
  index: 'src/index.ts',
  'webhooks/index': 'src/webhooks/index.ts',
  'server/library': 'src/server/library.ts',
  'worker-main': 'src/workers/worker-main.ts',
  'convert-job': 'src/flows/convert/convert-job.ts',
  'hash-job': 'src/flows/hashing/hash-job.ts',
};

/**
 * Modules that are loaded together are put together: each of these files with all that it imports, unless the group
 * before has it. What else is shared by several verbs becomes a module of its own.
 */
const groups = {
  // First: a receiver of webhooks loads nothing else.
  webhooks: ['src/webhooks/index.ts'],
  start: ['src/cli/main.ts'],
  terminal: ['src/terminal/reporter.ts', 'src/terminal/plain.ts'],
  conversion: ['src/commands/migrate.ts', 'src/sources/keycloak/provider.ts'],
};

/** Shared code goes into the folder itself, where threads find their modules. */
export async function bundle(folder) {
  const build = await rolldown({
    cwd: root,
    input: entries,
    platform: 'node',
    // The others become part of it: the phone numbers' library has 70 files, which take 30 ms to load one by one.
    external: Object.keys({ ...dependencies, ...peerDependencies }).map(
      (name) => new RegExp(`^${name}(?:/|$)`),
    ),
    transform: { target: 'node20.18' },
    // What is in a group is there for all, even for those that load it late.
    checks: { ineffectiveDynamicImport: false },
    logLevel: 'warn',
  });
  /** By path, once the first module is asked for. */
  let members;
  await build.write({
    dir: resolve(root, folder),
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    codeSplitting: {
      groups: Object.keys(groups).map((group, place) => ({
        debugName: group,
        name: (id, modules) => ((members ??= findMembers(modules)).get(id) === group ? group : null),
        // What a group imports of the one before stays there.
        priority: Object.keys(groups).length - place,
      })),
    },
    comments: { legal: true, annotation: false, jsdoc: false },
    // Lines of src/ for `node --enable-source-maps`. With the sources in it the package would be more than twice as large.
    sourcemap: true,
    sourcemapExcludeSources: true,
  });
  await build.close();
  copyMaps(resolve(root, 'src/sources/table/maps'), resolve(root, folder, 'maps'));
  // What `report` and `--report <file>.html` put into each page.
  await bundleScript('src/page/main.ts', `${folder}/report-page/page.js`, 'iife');
  copyFileSync(resolve(root, 'src/page/page.css'), resolve(root, folder, 'report-page/style.css'));
}

/** The built-in mappings as they stand there, to print; and as JSON, so that no run has to load a reader of YAML. */
function copyMaps(from, to) {
  mkdirSync(to);
  for (const name of readdirSync(from)) {
    const text = readFileSync(resolve(from, name), 'utf8');
    writeFileSync(resolve(to, name), text);
    writeFileSync(
      resolve(to, name.replace(/yaml$/, 'json')),
      JSON.stringify(parse(text, { stringKeys: true })),
    );
  }
}

/**
 * One minified script with all that it imports: of a report page (`iife`, for browsers), or of the single executable
 * (`cjs`).
 */
export async function bundleScript(file, path, format) {
  const isPage = format === 'iife';
  const build = await rolldown({
    cwd: root,
    input: file,
    platform: isPage ? 'browser' : 'node',
    transform: {
      target: isPage ? ['chrome111', 'firefox113', 'safari16.4'] : 'node20.18',
      // Of the path only names of files are looked at: in an executable they are assets.
      define: isPage ? {} : { 'import.meta.url': JSON.stringify('file:///idport/module.js') },
    },
    logLevel: 'warn',
  });
  await build.write({
    file: resolve(root, path),
    format,
    codeSplitting: false,
    minify: true,
    keepNames: !isPage,
    comments: { legal: true, annotation: false, jsdoc: false },
  });
  await build.close();
}

/** The group of each module in one, by its path. */
function findMembers(modules) {
  const members = new Map();
  for (const [group, files] of Object.entries(groups)) {
    const paths = files.map((file) => resolve(root, file));
    for (const path of paths) {
      if (members.has(path)) continue;
      members.set(path, group);
      paths.push(...(modules.getModuleInfo(path)?.importedIds ?? []));
    }
  }
  return members;
}
