/** The entry point: answers a bare `--version` at once, and loads the program for everything else. */
import { readFileSync, writeSync } from 'node:fs';

const argv = process.argv.slice(2);
if (!isBareVersion() || !isPrinted(`${readVersion()}\n`)) {
  const { main } = await import('./main.ts');
  process.exitCode = await main(argv, readVersion());
}

function isBareVersion() {
  const isVersion = argv[0] === '--version' || argv[0] === '-V';
  return argv.length === 1 && isVersion && !process.env['IDPORT_COMPLETE'];
}

/** Returns false if printing fails. The program then tries again and reports the error. */
function isPrinted(text: string) {
  try {
    return writeSync(1, text) === text.length;
  } catch {
    return false;
  }
}

function readVersion() {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
