// Builds dist/, schema/ and man/ anew: the program, the types of the library, the schemas of files, and the man page.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { register } from 'tsx/esm/api';
import { z } from 'zod';

const root = fileURLToPath(new URL('..', import.meta.url));

// The bundler fails on older ones, with an error that does not say so.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || major === 21 || (major === 20 && minor < 19) || (major === 22 && minor < 12)) {
  console.error(`error: to build idport, use Node 20.19, 22.12 or newer; this is ${process.version}`);
  process.exit(1);
}
const { bundle } = await import('./bundle.js');

rmSync(new URL('../dist', import.meta.url), { recursive: true, force: true });
// Runs without a shell: on Windows, node_modules/.bin has no program that can be started.
const compiler = 'node_modules/typescript/bin/tsc';
const { status } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
});
if (status === 0) {
  keepPublicTypes(['index', 'server/library', 'webhooks/index']);
  await bundle('dist');
  copyFileSync('node_modules/libphonenumber-js/LICENSE', 'dist/libphonenumber-js.LICENSE');
  await writeSchemas();
  await writeManPage();
}
process.exitCode = status ?? 1;

/** Keeps only the declarations that an entry of the library needs. They name each other as Node expects. */
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

/** Writes the schemas of the configuration file (made from the tree of verbs), of a mapping, and of reports, for editors. */
async function writeSchemas() {
  register();
  const { tree } = await import('../src/cli/verbs/index.ts');
  const { describeVerb } = await import('../src/cli/shape.ts');
  const { jsonSchemaOf } = await import('../src/cli/config/read.ts');
  const folder = new URL('../schema/', import.meta.url);
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL('idport.config.schema.json', folder), jsonSchemaOf(describeVerb(tree)));
  const { formatMappingSchema } = await import('./mapping-schema.ts');
  writeFileSync(new URL('idport.mapping.schema.json', folder), formatMappingSchema());
  const { reportFormats } = await import('../src/wire/reports.ts');
  const reports = z.union(Object.values(reportFormats).map(({ file }) => file));
  const schema = { title: 'Report files of idport', ...z.toJSONSchema(reports, { io: 'input' }) };
  writeFileSync(new URL('idport.report.schema.json', folder), `${JSON.stringify(schema, null, 2)}\n`);
}

async function writeManPage() {
  const { formatManPage } = await import('./man-page.ts');
  const folder = new URL('../man/', import.meta.url);
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL('idport.1', folder), formatManPage());
}
