// Bundles the program into a folder: few modules, because Node takes longer to find and link hundreds of small ones
// than to run them. The folder stands beside src/, as dist/ does.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const { dependencies, optionalDependencies } = JSON.parse(
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
  'key-job': 'src/sources/auth0/join/key-job.ts',
};

/** Shared code goes into chunks in the folder itself, where threads find their modules. */
export async function bundle(folder) {
  await build({
    absWorkingDir: fileURLToPath(new URL('..', import.meta.url)),
    entryPoints: entries,
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.18',
    // The others become part of it: the phone numbers' library has 70 files, which take 30 ms to load one by one.
    external: Object.keys({ ...dependencies, ...optionalDependencies }).flatMap((name) => [
      name,
      `${name}/*`,
    ]),
    // Lines of src/ for `node --enable-source-maps`. With the sources in it the package would be more than twice as large.
    sourcemap: 'linked',
    sourcesContent: false,
    chunkNames: '[name]-[hash]',
    logLevel: 'warning',
  });
}
