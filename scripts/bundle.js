// Bundles the program into a folder next to src/, such as dist/, as a few modules, because Node takes longer to find and
// link hundreds of small ones than to run them. `bundleScript` makes one script of a file.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { parse } from 'yaml';

const root = fileURLToPath(new URL('..', import.meta.url));
const { dependencies, peerDependencies } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);

/** Modules that are loaded by name: by the command, by importers of the package, and by threads. */
const entries = {
  'cli/start': 'src/cli/start.ts',
  'commands/demo': 'src/commands/demo.ts',
  index: 'src/index.ts',
  'webhooks/index': 'src/webhooks/index.ts',
  'server/library': 'src/server/library.ts',
  'worker-main': 'src/workers/worker-main.ts',
  'convert-batch': 'src/flows/convert/convert-batch.ts',
  'hash-job': 'src/flows/hashing/hash-job.ts',
};

/**
 * Puts modules that are loaded together into one: each of these files with all that it imports, unless a group before has
 * it. Other code that several verbs share becomes a module of its own.
 */
const groups = {
  // Comes first, because a receiver of webhooks loads nothing else.
  webhooks: ['src/webhooks/index.ts'],
  start: ['src/cli/main.ts'],
  terminal: ['src/terminal/reporter.ts', 'src/terminal/plain.ts'],
  conversion: ['src/commands/migrate.ts', 'src/sources/keycloak/provider.ts'],
};

/** Bundles the program. Shared code goes into the folder itself, where threads find their modules. */
export async function bundle(folder) {
  const build = await rolldown({
    cwd: root,
    input: entries,
    platform: 'node',
    // Other packages become part of the bundle: the library for phone numbers has 70 files, which take 30 ms to load one
    // by one.
    external: Object.keys({ ...dependencies, ...peerDependencies }).map(
      (name) => new RegExp(`^${name}(?:/|$)`),
    ),
    transform: { target: 'node20.18' },
    // A module in a group is loaded with the group, even if some of its importers load it late.
    checks: { ineffectiveDynamicImport: false },
    logLevel: 'warn',
  });
  /** Groups of modules by path, set once the first module is asked for. */
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
        // What a group imports from the one before stays there.
        priority: Object.keys(groups).length - place,
      })),
    },
    comments: { legal: true, annotation: false, jsdoc: false },
    // Shows lines of src/ with `node --enable-source-maps`. With sources, the package would be more than twice as large.
    sourcemap: true,
    sourcemapExcludeSources: true,
  });
  await build.close();
  copyMaps(resolve(root, 'src/sources/table/maps'), resolve(root, folder, 'maps'));
  // Script of the pages that `report` and `--report <file>.html` write.
  await bundleScript('src/page/main.ts', `${folder}/report-page/page.js`, 'iife');
  copyFileSync(resolve(root, 'src/page/page.css'), resolve(root, folder, 'report-page/style.css'));
}

/** Copies the built-in mappings unchanged, to print them, and as JSON, so that no run has to load a reader of YAML. */
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
 * Writes a file with all that it imports as one minified script, for a report page (`iife`, for browsers) or for the
 * single executable (`cjs`).
 */
export async function bundleScript(file, path, format) {
  const isPage = format === 'iife';
  const build = await rolldown({
    cwd: root,
    input: file,
    platform: isPage ? 'browser' : 'node',
    transform: {
      target: isPage ? ['chrome111', 'firefox113', 'safari16.4'] : 'node20.18',
      // Only the file names of such paths are used, because files are assets in an executable.
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

/** Returns the group of each module that is in one, by its path. */
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
