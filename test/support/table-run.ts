/** Converts texts with a mapping, and says what came of it. */
import type { IdportEvent } from '../../src/events.ts';
import { convertFiles } from './conversion.ts';

export interface TableRun {
  readonly provider?: string;
  readonly users: string | Uint8Array;
  readonly map?: unknown;
  /** By the name of the table in the mapping. */
  readonly tables?: Readonly<Record<string, string>>;
  /** More files beside them. */
  readonly files?: Readonly<Record<string, string>>;
  /** A list is a flag more than once. */
  readonly flags?: Readonly<Record<string, string | readonly string[]>>;
}

export type TableResult = Awaited<ReturnType<typeof runTable>>;

/** Throws what ends the run. */
export async function runTable({
  provider = 'csv',
  users,
  map,
  tables = {},
  files = {},
  flags = {},
}: TableRun) {
  const given = {
    org: '1',
    users: 'users',
    output: 'body.json',
    map: map === undefined ? [] : 'map.yaml',
    table: Object.keys(tables).map((name) => `${name}=${name}`),
    ...flags,
  };
  const argv = Object.entries(given).flatMap(([name, values]) =>
    [values].flat().map((value) => `--${name}=${value}`),
  );
  const all = { users, ...(map !== undefined && { 'map.yaml': map }), ...tables, ...files };
  const { problem, tally, ...run } = await convertFiles(['migrate', provider, ...argv], all);
  if (problem !== undefined) throw Object.assign(new Error(problem.message), problem);
  const [{ machineUsers = [], userMetadata = [] } = {}] = run.orgs;
  return {
    ...run,
    tally: tally!,
    machines: machineUsers,
    metadata: Object.fromEntries(
      userMetadata.map(({ key, value }) => [key, Buffer.from(value, 'base64').toString('utf8')]),
    ),
    hashes: Object.fromEntries(
      run.users.map(({ user }): [string, string | undefined] => [
        user.userName,
        user['hashedPassword']?.value,
      ]),
    ),
  };
}

/** Reason codes of records that were not written. */
export function rejections({ events }: { readonly events: readonly IdportEvent[] }) {
  return events.flatMap((event) =>
    event.type === 'record:rejected' || event.type === 'record:skipped'
      ? [`${event.code}: ${event.detail}`]
      : [],
  );
}
