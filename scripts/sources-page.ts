/** docs/sources.md out of the mappings of the built-in sources. */
import { movesOf, passwordsOf } from '../src/sources/table/describe.ts';
import type { Mapping } from '../src/sources/table/mapping/schema.ts';

const intro = `# Built-in sources

Each of these is a mapping file ([the format](mapping.md)) that comes with the program. \`idport migrate <name> --print-map\`
prints it, to take over and change. Further tables are joined with \`--table <name>=<path>\`; out of an SQL dump they are read
by themselves. Keycloak and Auth0 have readers of their own: [Keycloak](providers/keycloak.md), [Auth0](providers/auth0.md).

A source is proven by a sample of its export, or marked as not proven on a real one.
`;

export function formatSourcesPage(mappings: readonly Mapping[]): string {
  return `${intro}\n${mappings.map(formatSource).join('\n')}`;
}

function formatSource(mapping: Mapping): string {
  const { name = '', title = '', about, tables = {}, password, user } = mapping;
  const lines = [`## ${title}`, '', `\`idport migrate ${name}\``, ''];
  const add = (heading: string, items: readonly string[]): void => {
    if (items.length > 0) lines.push(`**${heading}**`, '', ...items.map((item) => `- ${code(item)}`), '');
  };
  if (about?.proven !== 'sample') lines.push('Not proven on a real export.', '');
  add('Export', about?.export ?? []);
  if (Object.keys(tables).length > 0) {
    lines.push(
      `Joined tables: ${Object.keys(tables)
        .map((table) => `\`--table ${table}=<path>\``)
        .join(', ')}.`,
      '',
    );
  }
  lines.push(`**Moves**: ${movesOf(user).join(', ')}. **Passwords**: ${passwordsOf(password)}.`, '');
  if (mapping.where !== undefined) {
    const skips = mapping.where.flatMap(({ skip }) => skip ?? []);
    if (skips.length > 0) lines.push(`Left out: ${skips.join(', ')}.`, '');
  }
  add('Cannot move', about?.cannot ?? []);
  add('Before the cutover', about?.before ?? []);
  return lines.join('\n');
}

/** Texts that Markdown or a link check would take for something else. */
function code(text: string): string {
  return /[<>*_$&|\\?]|https?:/.test(text) ? `\`${text.replaceAll('`', "'")}\`` : text;
}
