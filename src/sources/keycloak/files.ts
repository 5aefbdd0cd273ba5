/** Which files of a folder belong to an export, in which order, by their names alone. */
import { fileNames } from './options.ts';

export interface ExportFile {
  readonly name: string;
  readonly realm: string;
  readonly kind: 'realm' | 'users' | 'federated-users';
  readonly number: number;
}

/** What a file name says, or undefined for names that `kc.sh` does not write. */
export function parseFileName(name: string): ExportFile | undefined {
  const groups = fileNames.exec(name)?.groups;
  if (groups === undefined) return undefined;
  return {
    name,
    realm: groups['realm'] ?? '',
    kind: groups['half'] === undefined ? (groups['kind'] as ExportFile['kind']) : 'realm',
    number: Number(groups['number'] ?? -1),
  };
}

const order = { realm: 0, users: 1, 'federated-users': 2 } as const;

/** The files of an export by realm; within a realm the realm half first, then users by number (9 before 10). */
export function groupFiles(names: readonly string[]): ReadonlyMap<string, readonly ExportFile[]> {
  const groups = new Map<string, ExportFile[]>();
  for (const name of names) {
    const file = parseFileName(name);
    if (file === undefined) continue;
    const group = groups.get(file.realm);
    if (group === undefined) groups.set(file.realm, [file]);
    else group.push(file);
  }
  for (const group of groups.values()) {
    group.sort((a, b) => order[a.kind] - order[b.kind] || a.number - b.number);
  }
  return groups;
}
