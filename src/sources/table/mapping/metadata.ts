/** Compiles metadata: which columns are carried under which keys. */
import { isObject } from '../../../lib/json-value.ts';
import { addMetadata, addNote } from '../../../records/build-user.ts';
import type { TableOptions } from './schema.ts';
import { describeColumns } from './columns.ts';
import type { Fill } from './factors.ts';
import { containerOf, type Scope, type Setting } from './paths.ts';
import { MappingProblem } from './problem.ts';
import { compileValue, elementsOf } from './values.ts';

/** More are a mistake, and each costs memory. */
const maxColumns = 10_000;

/** A mapping of the user's own carries what it names; a built-in one, what `--metadata` chooses. */
export function compileMetadata(options: TableOptions, setting: Setting): Fill {
  const { mapping } = options;
  const named = Object.entries(mapping.user.metadata ?? {}).filter(([key]) => key !== '*');
  const rest = mapping.user.metadata?.['*'];
  if (rest !== undefined && rest !== 'rest' && rest !== 'none' && !Array.isArray(rest)) {
    throw new MappingProblem('user.metadata["*"]', 'rest, none or a list of columns is expected');
  }
  const reads = named.map(([key, value]) => ({
    key,
    read: compileValue(value, `user.metadata.${key}`, setting),
  }));
  const carries = options.isOwnMapping || options.metadata !== 'none';
  const { known } = describeColumns(mapping, setting.columns);
  const carriesRest = rest === 'rest' || options.metadata === 'all';
  return (draft, scope) => {
    let left = 0;
    const add = (key: string, value: unknown) => {
      const text = metadataText(value, key, scope);
      if (text === '') return;
      if (carries) addMetadata(draft, key, text);
      else left++;
    };
    for (const { key, read } of reads) {
      const value = read(scope);
      if (value === undefined) continue;
      if (!key.endsWith('.*')) add(key, value);
      else for (const [name, inner] of elementsOf(value)) add(key.slice(0, -1) + name, inner);
    }
    if (carriesRest && isObject(scope.row)) {
      const columns = Array.isArray(rest) ? rest.map(String) : Object.keys(scope.row);
      if (columns.length > maxColumns) scope.problems.push(`it has more than ${maxColumns} columns`);
      else for (const column of columns) if (!known.has(column)) add(column, scope.row[column]);
    }
    if (left > 0) addNote(draft, 'attribute:not-migrated', left === 1 ? '1 attribute' : `${left} attributes`);
  };
}

/** A text stays a text, everything else is JSON. An empty list or object is nothing, also as the text of a cell. */
function metadataText(value: unknown, key: string, { problems }: Scope): string {
  if (value === undefined || value === null) return '';
  const inside = containerOf(value);
  if (inside !== undefined && Object.keys(inside).length === 0) return '';
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value);
  } catch {
    problems.push(`${key} is nested too deeply`);
    return '';
  }
}
