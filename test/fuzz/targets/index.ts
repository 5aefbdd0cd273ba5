/** The table of all targets. */
import type { FuzzTarget } from '../target.ts';
import { auth0 } from './auth0.ts';
import { hashes } from './hashes.ts';
import { keycloak } from './keycloak.ts';
import { lines } from './lines.ts';
import { neighbors } from './neighbors.ts';
import { scanner } from './scanner.ts';
import { server } from './server.ts';
import { tables } from './tables.ts';

export const targets: readonly FuzzTarget[] = [
  scanner,
  lines,
  keycloak,
  auth0,
  tables,
  neighbors,
  hashes,
  server,
];
