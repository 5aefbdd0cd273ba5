/** The Go stand-in: its version, and how it is built where Go is installed. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const source = fileURLToPath(new URL('standins/keycloak.go', import.meta.url));
const folder = fileURLToPath(new URL('data/', import.meta.url));

/** For example `1.26.1`; undefined where Go is not installed. */
export const goVersion = /go(\d[\d.]*)/.exec(
  spawnSync('go', ['version'], { encoding: 'utf8' }).stdout ?? '',
)?.[1];

/** The path of the program; undefined where Go is not installed. */
export function buildGo(): string | undefined {
  if (goVersion === undefined) return undefined;
  const binary = `${folder}keycloak-go-${goVersion}`;
  if (existsSync(binary) && statSync(binary).mtimeMs > statSync(source).mtimeMs) return binary;
  mkdirSync(folder, { recursive: true });
  const { status, stderr } = spawnSync('go', ['build', '-o', binary, source], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`The Go stand-in does not build: ${stderr.trim()}`);
  return binary;
}
