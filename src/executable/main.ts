/** The start of the executable, whose files are inside it. */
import { main } from '../cli/main.ts';
import { readOwnFile } from '../lib/own-files.ts';

const { version } = JSON.parse(readOwnFile(new URL('package.json', import.meta.url))) as { version: string };
void main(process.argv.slice(2), version).then((code) => (process.exitCode = code));
