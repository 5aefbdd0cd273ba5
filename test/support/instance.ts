/** A reference server on a port of this machine, with the flags that lead a command to it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  createReferenceServer,
  type InspectableServer,
  type ReferenceServerOptions,
} from '../../src/server/index.ts';

export interface Instance {
  readonly server: InspectableServer;
  readonly url: string;
  /** `--url ... --token-file ...`, as the instance owner. */
  readonly flags: readonly string[];
  readonly tokenFile: string;
  close(): Promise<void>;
}

/** Its token is written into `folder`. */
export async function startInstance(
  folder: string,
  name: string,
  options: ReferenceServerOptions = {},
): Promise<Instance> {
  const server = createReferenceServer({ profile: 'all-verifiers', rate: null, ...options });
  const { url } = await server.listen({ port: 0, host: '127.0.0.1' });
  const tokenFile = join(folder, `${name}.token`);
  writeFileSync(tokenFile, server.tokens.iamOwner, { mode: 0o600 });
  return {
    server,
    url,
    tokenFile,
    flags: ['--url', url, '--token-file', tokenFile],
    close: () => server.close(),
  };
}
