/** Converts texts with a mapping, as `idport migrate` does, and says what came of it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { convert, type Conversion, type IdportEvent, type Tally } from '../../src/index.ts';
import { createTestFolder } from './folder.ts';

export interface TableRun {
  readonly provider?: Conversion['provider'];
  readonly users: string | Uint8Array;
  readonly map?: string;
  /** By the name of the table in the mapping. */
  readonly tables?: Readonly<Record<string, string>>;
  /** More files beside them. */
  readonly files?: Readonly<Record<string, string>>;
  readonly flags?: Readonly<Record<string, unknown>>;
}

export interface WrittenUser {
  readonly userId?: string;
  readonly state?: string;
  readonly user: Readonly<Record<string, unknown>> & {
    readonly userName: string;
    readonly hashedPassword?: { readonly value: string };
  };
}

export interface TableResult {
  readonly users: readonly WrittenUser[];
  readonly machines: readonly { readonly user: { readonly userName: string } }[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly events: readonly IdportEvent[];
  /** Codes of notices. */
  readonly notices: readonly string[];
  readonly tally: Tally;
  readonly hashes: Readonly<Record<string, string | undefined>>;
}

export async function runTable({
  provider = 'csv',
  users,
  map,
  tables = {},
  files = {},
  flags = {},
}: TableRun): Promise<TableResult> {
  const cwd = createTestFolder();
  writeFileSync(join(cwd, 'users'), users);
  if (map !== undefined) writeFileSync(join(cwd, 'map.yaml'), map);
  for (const [name, text] of Object.entries({ ...tables, ...files })) writeFileSync(join(cwd, name), text);
  const table = Object.keys(tables).map((name) => `${name}=${name}`);
  const events: IdportEvent[] = [];
  const conversion = {
    provider,
    org: '1',
    users: 'users',
    output: 'body.json',
    ...(map === undefined ? {} : { map: 'map.yaml' }),
    ...(table.length === 0 ? {} : { table }),
    ...flags,
  } as Conversion;
  const { tally } = await convert(conversion, { cwd, onEvent: (event) => events.push(event) });
  const body = JSON.parse(readFileSync(join(cwd, 'body.json'), 'utf8')) as {
    dataOrgs: {
      orgs: {
        humanUsers?: WrittenUser[];
        machineUsers?: { user: { userName: string } }[];
        userMetadata?: { id: string; key: string; value: string }[];
      }[];
    };
  };
  const [org] = body.dataOrgs.orgs;
  const written = org?.humanUsers ?? [];
  return {
    users: written,
    machines: org?.machineUsers ?? [],
    metadata: Object.fromEntries(
      (org?.userMetadata ?? []).map(({ key, value }) => [key, Buffer.from(value, 'base64').toString('utf8')]),
    ),
    events,
    notices: events.flatMap((event) => (event.type === 'notice' ? [event.code] : [])),
    tally,
    hashes: Object.fromEntries(written.map(({ user }) => [user.userName, user.hashedPassword?.value])),
  };
}

/** Reason codes of records that were not written. */
export function rejections({ events }: TableResult): readonly string[] {
  return events.flatMap((event) =>
    event.type === 'record:rejected' || event.type === 'record:skipped'
      ? [`${event.code}: ${event.detail}`]
      : [],
  );
}
