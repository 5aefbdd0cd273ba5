/** `idport sources`: lists the sources, and what idport migrates from each. */
import { ExitCode, UsageError } from '../errors.ts';
import { providerNames, providers } from '../sources/providers.ts';
import { movesOf, passwordsOf } from '../sources/table/describe.ts';
import { builtInMapping } from '../sources/table/built-in-mappings.ts';
import { print } from '../storage/stream-sink.ts';
import { wrap } from '../terminal/text.ts';
import type { SourcesFlags } from '../flags/others.ts';
import type { Action } from './context.ts';

export const listSources: Action<SourcesFlags> = async ({ source, format, grants }, { stdout }) => {
  if (grants) {
    if (source !== 'keycloak' || format === 'json')
      throw new UsageError('--grants prints SQL for one source: `idport sources keycloak --grants`');
    const { grantStatements } = await import('../sources/keycloak/live-sql.ts');
    await print(stdout, grantStatements());
    return ExitCode.done;
  }
  const names = providerNames.filter((name) => source === undefined || name === source);
  const sources = await Promise.all(names.map(describe));
  const lines = format === 'json' ? sources.map((source) => JSON.stringify(source)) : sources.map(show);
  await print(stdout, `${lines.join('\n')}\n`);
  return ExitCode.done;
};

type Source = Awaited<ReturnType<typeof describe>>;

async function describe(name: (typeof providerNames)[number]) {
  const { title, description } = providers[name];
  const mapping = providers[name].tables && (await builtInMapping(name));
  // A source with a reader of its own has no mapping.
  if (mapping === undefined) return { name, title, description };
  const { user, password, about } = mapping;
  return {
    name,
    title,
    moves: movesOf(user),
    passwords: passwordsOf(password),
    /** Whether the mapping was tested with a real export. */
    isProven: about?.proven === 'export',
  };
}

function show({ name, title, moves, passwords, isProven, description }: Source) {
  const heading = `${name.padEnd(17)}${title}`;
  const texts =
    moves === undefined ? [description] : [`moves: ${moves.join(', ')}`, `passwords: ${passwords}`];
  if (isProven === false) texts.push('not tested with a real export');
  return [heading, ...texts.flatMap((text) => wrap(text, 80, ' '.repeat(17)))].join('\n');
}
