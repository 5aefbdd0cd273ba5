/** `idport sources`: lists the sources, and what idport migrates from each. */
import { UsageError } from '../errors.ts';
import { providerNames, providers } from '../sources/providers.ts';
import { movesOf, passwordsOf } from '../sources/table/describe.ts';
import { builtInMapping } from '../sources/table/built-in-mappings.ts';
import { print } from '../storage/stream-sink.ts';
import { wrap } from '../terminal/text.ts';
import type { sourcesArgument, sourcesFlags } from '../flags/others.ts';
import type { Action } from './context.ts';

export const listSources: Action<typeof sourcesArgument & typeof sourcesFlags> = async (
  { source, grants },
  { stdout },
) => {
  if (grants) {
    if (source !== 'keycloak')
      throw new UsageError(
        '--grants is for keycloak: `idport sources keycloak --grants`. Other sources need SELECT on the tables that their mapping names',
      );
    const { grantStatements } = await import('../sources/keycloak/live-sql.ts');
    return print(stdout, grantStatements());
  }
  const names = providerNames.filter((name) => source === undefined || name === source);
  const lines = (await Promise.all(names.map(describe))).flat();
  await print(stdout, `${lines.join('\n')}\n`);
};

async function describe(name: (typeof providerNames)[number]) {
  const { title, description } = providers[name];
  const mapping = await builtInMapping(name);
  const texts =
    mapping === undefined
      ? [description]
      : [`moves: ${movesOf(mapping.user).join(', ')}`, `passwords: ${passwordsOf(mapping.password)}`];
  if (mapping !== undefined && mapping.about?.proven !== 'export')
    texts.push('not tested with a real export');
  return [`${name.padEnd(17)}${title}`, ...texts.flatMap((text) => wrap(text, 80, ' '.repeat(17)))];
}
