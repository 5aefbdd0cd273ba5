// Sources in, dist/ out: nothing of an earlier build stays.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
rmSync(new URL('../dist', import.meta.url), { recursive: true, force: true });
const { status } = spawnSync('node_modules/.bin/tsc', ['-p', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
