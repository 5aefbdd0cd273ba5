// Builds dist/ and schema/ anew: few modules, because Node takes longer to find and link hundreds of small ones than to
// run them, and the types of the library.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { register } from 'tsx/esm/api';

const { dependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const root = fileURLToPath(new URL('..', import.meta.url));

/** What is loaded by name: by the command, by importers of the package, and by threads. */
const entries = {
  'cli/start': 'src/cli/start.ts',
  'commands/demo': 'src/commands/demo.ts',
  index: 'src/index.ts',
  'webhooks/index': 'src/webhooks/index.ts',
  'server/library': 'src/server/library.ts',
  'worker-main': 'src/workers/worker-main.ts',
  'convert-job': 'src/flows/convert/convert-job.ts',
  'hash-job': 'src/flows/import-users/hash-job.ts',
  'key-job': 'src/sources/auth0/join/key-job.ts',
  'jit-hash-job': 'src/flows/jit/jit-hash-job.ts',
};

rmSync(new URL('../dist', import.meta.url), { recursive: true, force: true });
const { status } = spawnSync('node_modules/.bin/tsc', ['-p', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
});
if (status === 0) {
  keepPublicTypes(['index', 'server/library', 'webhooks/index']);
  await bundle();
  await writeSchema();
}
process.exitCode = status ?? 1;

/** Of the declarations, only those that an entry of the library needs; they name each other as Node would. */
function keepPublicTypes(entryNames) {
  const dist = fileURLToPath(new URL('../dist/', import.meta.url));
  const needed = new Set();
  const visit = (file) => {
    if (needed.has(file)) return;
    needed.add(file);
    const text = readFileSync(file, 'utf8').replaceAll(/(['"]\.[^'"]+)\.ts(['"])/g, '$1.js$2');
    writeFileSync(file, text);
    for (const [, path] of text.matchAll(/['"](\.[^'"]+)\.js['"]/g))
      visit(join(dirname(file), `${path}.d.ts`));
  };
  for (const name of entryNames) visit(join(dist, `${name}.d.ts`));
  for (const name of readdirSync(dist, { recursive: true })) {
    if (name.endsWith('.d.ts') && !needed.has(join(dist, name))) rmSync(join(dist, name));
  }
}

/** Shared code goes into chunks in dist/, where threads find their modules. */
async function bundle() {
  await build({
    absWorkingDir: root,
    entryPoints: entries,
    outdir: 'dist',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.18',
    // The others become part of it: the phone numbers' library has 70 files, which take 30 ms to load one by one.
    external: Object.keys(dependencies).flatMap((name) => [name, `${name}/*`]),
    chunkNames: '[name]-[hash]',
    logLevel: 'warning',
  });
  copyFileSync('node_modules/libphonenumber-js/LICENSE', 'dist/libphonenumber-js.LICENSE');
}

/** The schema of the configuration file, for editors, made from the commander tree. */
async function writeSchema() {
  register();
  const { createProgram } = await import('../src/cli/program.ts');
  const { describeVerb } = await import('../src/cli/shape.ts');
  const { jsonSchemaOf } = await import('../src/cli/config/schema.ts');
  const program = createProgram('0.0.0', async () => {}, { out: () => {}, err: () => {} });
  const folder = new URL('../schema/', import.meta.url);
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL('idport.config.schema.json', folder), jsonSchemaOf(describeVerb(program)));
}
