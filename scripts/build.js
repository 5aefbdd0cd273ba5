// Sources in, dist/ and schema/ out: nothing of an earlier build stays.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
rmSync(new URL('../dist', import.meta.url), { recursive: true, force: true });
const { status } = spawnSync('node_modules/.bin/tsc', ['-p', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
});
if (status === 0) await writeSchema();
process.exitCode = status ?? 1;

/** Of the configuration file, for editors: made of the commander tree, so that it never says anything else. */
async function writeSchema() {
  const { createProgram } = await import('../dist/program.js');
  const { describeVerb } = await import('../dist/verbs/shape.js');
  const { jsonSchemaOf } = await import('../dist/usage/config/schema.js');
  const program = createProgram('0.0.0', async () => {}, { out: () => {}, err: () => {} });
  const folder = new URL('../schema/', import.meta.url);
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL('idport.config.schema.json', folder), jsonSchemaOf(describeVerb(program)));
}
