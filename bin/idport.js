#!/usr/bin/env node
import { existsSync } from 'node:fs';

const cli = new URL('../dist/cli/start.js', import.meta.url);
if (existsSync(cli)) {
  await import(cli.href);
} else {
  process.stderr.write(
    'error: this clone is not built yet\n  hint: npm run try (or npm ci && npm run build)\n',
  );
  process.exitCode = 1;
}
