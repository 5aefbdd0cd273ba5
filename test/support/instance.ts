/** A reference server on a port of this machine, with the flags that lead a command to it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createReferenceServer, type ReferenceServerOptions } from '../../src/server/index.ts';

export type Instance = Awaited<ReturnType<typeof startInstance>>;

/** Its token is written into `folder`. */
export async function startInstance(folder: string, name: string, options: ReferenceServerOptions = {}) {
  const server = createReferenceServer({ profile: 'all-verifiers', rate: null, ...options });
  const { url } = await server.listen({ port: 0, host: '127.0.0.1' });
  const tokenFile = join(folder, `${name}.token`);
  writeFileSync(tokenFile, server.tokens.iamOwner, { mode: 0o600 });
  return {
    server,
    url,
    tokenFile,
    /** As the instance owner. */
    flags: ['--url', url, '--token-file', tokenFile],
    close: () => server.close(),
  };
}
