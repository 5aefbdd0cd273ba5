// Builds executable/idport: the program and the Node that runs this script, in one file (single executable application).
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import postject from 'postject';
import { bundleScript } from './bundle.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'executable');
const program = join(folder, process.platform === 'win32' ? 'idport.exe' : 'idport');

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
await bundleScript('src/executable/main.ts', 'executable/main.cjs', 'cjs');
await bundleScript('src/executable/worker-main.ts', 'executable/worker-main.js', 'cjs');
writeFileSync(join(folder, 'sea.json'), JSON.stringify(settings()));
execFileSync(process.execPath, ['--experimental-sea-config', join(folder, 'sea.json')], { stdio: 'inherit' });
copyFileSync(process.execPath, program);
chmodSync(program, 0o755);
await postject.inject(program, 'NODE_SEA_BLOB', readFileSync(join(folder, 'idport.blob')), {
  // Marks the place in Node that says whether the file contains a program.
  sentinelFuse: 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2',
});
for (const name of ['main.cjs', 'worker-main.js', 'sea.json', 'idport.blob']) rmSync(join(folder, name));
process.stdout.write(
  `${program}: ${(statSync(program).size / 1e6).toFixed(1)} MB, Node ${process.version}\n`,
);

/** Returns the settings of the executable. Assets have the names that `src/lib/own-files.ts` asks for. */
function settings() {
  const files = [
    'package.json',
    'fixtures/keycloak/typical/realm.json',
    'dist/report-page/page.js',
    'dist/report-page/style.css',
    'executable/worker-main.js',
    ...readdirSync(join(root, 'dist/maps')).map((name) => `dist/maps/${name}`),
  ];
  return {
    main: join(folder, 'main.cjs'),
    output: join(folder, 'idport.blob'),
    disableExperimentalSEAWarning: true,
    useCodeCache: true,
    assets: Object.fromEntries(
      files.map((file) => [file.slice(file.lastIndexOf('/') + 1), join(root, file)]),
    ),
  };
}
