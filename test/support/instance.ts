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

/** One call of the control interface: `control(instance, 'POST faults', { status: 500 })`. */
export async function control(
  { server, url }: Pick<Instance, 'server' | 'url'>,
  route: string,
  body?: unknown,
): Promise<any> {
  const [method = '', path = ''] = route.split(' ');
  const answer = await fetch(`${url}/_idport/${path}`, {
    method,
    headers: { authorization: `Bearer ${server.controlToken}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}
