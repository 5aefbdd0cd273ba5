/** Files of the project that tests read: fixtures, pages, what is delivered. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Ends in a slash, as the paths below it begin without one. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

export const fixture = (path: string) => `${root}fixtures/${path}`;

/** Eight users as Keycloak exports them, of whom seven are written. */
export const typicalRealm = fixture('keycloak/typical/realm.json');

export const readProject = (path: string) => readFileSync(root + path, 'utf8');

/** Everything below a folder, by its path from the root. */
export const filesBelow = (folder: string) =>
  readdirSync(root + folder, { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name}`)
    .toSorted();

/** `docs/x.md` and all others below docs/. */
export const docsPages = filesBelow('docs').filter((name) => name.endsWith('.md'));
