/** `migrate keycloak` on each population, beside a Go program and two scripts that apply none of the rules. */
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { formatBytes, formatCount } from '../src/lib/format.ts';
import type { Bench, BenchOptions, Row } from './bench.ts';
import { buildGo, goVersion } from './go.ts';
import { type Dataset, keycloakExport, keycloakPopulations } from './keycloak/generate.ts';
import { idport, nodeVersion, warm } from './measure.ts';
import { race, verdict } from './race.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));
const output = `${folder}data/body.json`;
const judged = 'idport, 2 threads';

/** Larger files do not fit into the one string of a script, or take the Go program more memory than most machines have. */
const scriptUsers = 200_000;
const goUsers = 1_000_000;
/** The slowest population is to take at most so many times as long per byte as the fastest. */
const spread = 2;

const inputs = [
  ...keycloakPopulations.map((population) => ({ name: population as string, population, minified: false })),
  { name: 'varied-minified', population: 'varied' as const, minified: true },
];

export const keycloakBench: Bench = {
  name: 'keycloak',
  about: `convert Keycloak realms: ${inputs.map(({ name }) => name).join(', ')} (100000 and 1000000 users, 10000000 on request)`,
  async *rows(options) {
    const go = buildGo();
    for (const users of options.sizes.length > 0 ? options.sizes : [100_000, 1_000_000]) {
      yield* compare(users, go, options);
    }
    rmSync(output, { force: true });
  },
};

async function* compare(users: number, go: string | undefined, options: BenchOptions): AsyncGenerator<Row> {
  const perByte: { name: string; seconds: number; cost: number }[] = [];
  for (const { name, population, minified } of inputs) {
    if (options.populations.length > 0 && !options.populations.includes(name)) continue;
    options.say(`making ${formatCount(users)} users: ${name}`);
    const data = keycloakExport(population, users, minified);
    warm(data.path);
    const rows = await race(
      {
        task: `keycloak ${name}, ${formatCount(users)} users (${formatBytes(data.bytes)})`,
        count: users,
        output,
        entrants: [
          ...standIns(data, go),
          { who: judged, command: convert(data.path, 2) },
          { who: 'idport, 1 thread', command: convert(data.path, 1) },
        ],
        judged,
        maxBytes: users > 1_000_000 ? 250e6 : 150e6,
      },
      options,
    );
    yield* rows;
    const { seconds } = rows.find(({ who }) => who === judged)!;
    perByte.push({ name, seconds, cost: (seconds / data.bytes) * 1e9 });
  }
  if (perByte.length > 1) yield compareCosts(users, perByte);
}

function compareCosts(users: number, costs: readonly { name: string; seconds: number; cost: number }[]): Row {
  const sorted = costs.toSorted((a, b) => a.cost - b.cost);
  const [fastest, slowest] = [sorted[0]!, sorted.at(-1)!];
  const times = slowest.cost / fastest.cost;
  return {
    task: `keycloak, ${formatCount(users)} users, slowest beside fastest`,
    who: judged,
    seconds: slowest.seconds,
    remark:
      `${slowest.name} ${slowest.cost.toFixed(2)} s/GB, ${fastest.name} ${fastest.cost.toFixed(2)} s/GB: ` +
      `${times.toFixed(2)} times; ${verdict(`at most ${spread}`, times <= spread)}`,
  };
}

function standIns({ path, users }: Dataset, go: string | undefined) {
  const script = (name: string): string[] => [process.execPath, `${folder}standins/${name}`, path, output];
  return [
    ...(go !== undefined && users <= goUsers
      ? [{ who: `Go ${goVersion}, whole file`, command: [go, path, output], goal: 4 }]
      : []),
    ...(users <= scriptUsers
      ? [
          { who: `Node ${nodeVersion}, whole file`, command: script('whole-file.js') },
          { who: `Node ${nodeVersion}, stream-json`, command: script('stream-json.js') },
        ]
      : []),
  ];
}

/** National phone numbers need a region. */
function convert(realm: string, threads: number): string[] {
  const flags = ['--org=1', '--default-region=DE', `--threads=${threads}`, `--output=${output}`];
  return [...idport, 'migrate', 'keycloak', `--realm=${realm}`, ...flags];
}
