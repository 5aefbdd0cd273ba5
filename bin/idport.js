#!/usr/bin/env node
import { existsSync } from 'node:fs';

const cli = new URL('../dist/cli/start.js', import.meta.url);
if (existsSync(cli)) {
  try {
    await import(cli.href);
  } catch (error) {
    // Not even the module that formats errors can be opened.
    if (error?.code !== 'EMFILE' && error?.code !== 'ENFILE') throw error;
    process.stderr.write('error: too many open files\n  hint: Raise the limit: ulimit -n 1024\n');
    process.exitCode = 1;
  }
} else {
  process.stderr.write(
    'error: this clone is not built yet\n  hint: npm run try (or npm ci && npm run build)\n',
  );
  process.exitCode = 1;
}
