#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';

// These read everybody and keep nobody: what they make is dead at once, so young objects need no more room than they
// have now, 1 MB, where V8 would go up to 16. Said before anything is loaded, because that alone takes more room.
const streaming = new Set(['migrate', 'check']);
if (process.argv.some((word) => streaming.has(word))) setFlagsFromString('--semi-space-growth-factor=1');

const cli = new URL('../dist/cli.js', import.meta.url);
if (existsSync(cli)) {
  await import(cli.href);
} else {
  process.stderr.write(
    'error: this clone is not built yet\n  hint: npm run try (or npm ci && npm run build)\n',
  );
  process.exitCode = 1;
}
