#!/usr/bin/env node
import { existsSync } from 'node:fs';

const cli = new URL('../dist/cli/start.js', import.meta.url);
if (existsSync(cli)) {
  try {
    await import(cli.href);
  } catch (error) {
    // This fails before any code that formats errors can run.
    const files = 'too many open files\n  hint: Raise the limit: ulimit -n 1024';
    const known = {
      EMFILE: files,
      ENFILE: files,
      uv_cwd: 'this folder is gone\n  hint: Change to another one first.',
    };
    const text = known[error?.code] ?? known[error?.syscall];
    if (text === undefined) throw error;
    process.stderr.write(`error: ${text}\n`);
    process.exitCode = 1;
  }
} else {
  process.stderr.write(
    'error: this clone is not built yet\n  hint: npm run try (or npm ci && npm run build)\n',
  );
  process.exitCode = 1;
}
