/** Sizes in, rows out: `migrate keycloak` with all rules on, beside a script, a streaming library and a Go program. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { formatBytes, formatCount } from '../src/lib/quantity.ts';
import type { Bench, BenchOptions, Row } from './bench.ts';
import { type Dataset, keycloakExport } from './keycloak/generate.ts';
import { type Measured, measureMedian, warm } from './measure.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const output = `${root}bench/data/body.json`;

/** A string of Node holds no more; a script that reads the whole file ends there. */
const longestString = 0x1fffffe8;

/** At least so many times as fast as these, where they could be run, and at most so much memory. */
const goals: Readonly<Record<string, number>> = { 'Node, whole file': 3, 'Go, whole file': 8 };
/** For 10,000,000 users there is more, because those who come twice are still found. */
const goalBytes = (users: number): number => (users > 1_000_000 ? 250e6 : 150e6);

/** Where the whole file is too large, the stand-in runs at this size and its time is multiplied. */
const fallbackUsers = 100_000;

export const keycloakBench: Bench = {
  name: 'keycloak',
  about: 'convert a Keycloak realm (sizes: users, 100000 and 1000000 by default, 10000000 on request)',
  async *rows(options) {
    const sizes = options.sizes.length > 0 ? options.sizes : [100_000, 1_000_000];
    const go = buildGo(options);
    for (const users of sizes) yield* compare(users, go, options);
    rmSync(output, { force: true });
  },
};

async function* compare(users: number, go: string | undefined, options: BenchOptions): AsyncGenerator<Row> {
  options.say(`making ${formatCount(users)} users`);
  const data = keycloakExport('uniform', users);
  const runs = users > 200_000 ? 1 : options.runs;
  warm(data.path);

  const standIns: Row[] = [await wholeFile(data, runs, options)];
  if (users <= 1_000_000) {
    options.say('stream-json');
    standIns.push(row(data, 'stream-json', await standIn('stream-json.js', data.path, runs)));
  }
  if (go !== undefined && users <= 1_000_000) {
    options.say('Go, whole file');
    standIns.push(row(data, 'Go, whole file', await measureMedian([go, data.path, output], runs, output)));
  }
  options.say('idport');
  const ours = row(data, 'idport', await convert(data.path, Math.max(runs, 3)));
  yield* standIns;
  const faster = standIns.map(({ who, seconds }) => ({ than: who, times: seconds / ours.seconds }));
  yield { ...ours, faster, remark: judge(users, faster, ours.peakBytes) };
}

function judge(users: number, faster: NonNullable<Row['faster']>, peakBytes: number | undefined): string {
  const verdicts = faster.flatMap(({ than, times }) => {
    const goal = goals[than];
    return goal === undefined ? [] : [`${goal} times ${than}: ${times >= goal ? 'kept' : 'missed'}`];
  });
  if (peakBytes !== undefined) {
    const most = goalBytes(users);
    verdicts.push(`${formatBytes(most)}: ${peakBytes <= most ? 'kept' : 'missed'}`);
  }
  return `goals: ${verdicts.join('; ')}`;
}

async function wholeFile(data: Dataset, runs: number, options: BenchOptions): Promise<Row> {
  options.say('Node, whole file');
  if (data.bytes <= longestString) {
    return row(data, 'Node, whole file', await standIn('whole-file.js', data.path, runs));
  }
  const smaller = keycloakExport('uniform', fallbackUsers);
  warm(smaller.path);
  const measured = await standIn('whole-file.js', smaller.path, options.runs);
  const factor = data.bytes / smaller.bytes;
  return {
    ...row(data, 'Node, whole file', {
      ...measured,
      seconds: measured.seconds * factor,
      peakBytes: undefined,
    }),
    remark: `fails above 512 MB: ${formatCount(fallbackUsers)} users took ${measured.seconds.toFixed(2)} s, times ${factor.toFixed(1)}`,
  };
}

function row(data: Dataset, who: string, { seconds, cpuSeconds, peakBytes }: Measured): Row {
  return {
    task: `keycloak ${formatCount(data.users)} users (${formatBytes(data.bytes)})`,
    who,
    seconds,
    cpuSeconds,
    peakBytes,
    rate: `${formatCount(data.users / seconds)} users/s`,
  };
}

function standIn(script: string, input: string, runs: number): Promise<Measured> {
  return measureMedian([process.execPath, `${root}bench/standins/${script}`, input, output], runs, output);
}

/** The command as people run it; standard error is read, so there is no moving line. */
function convert(input: string, runs: number): Promise<Measured> {
  const command = [process.execPath, `${root}bin/idport.js`, 'migrate', 'keycloak', '--org=1'];
  return measureMedian([...command, `--realm=${input}`, `--output=${output}`], runs, output);
}

function buildGo({ say }: BenchOptions): string | undefined {
  const source = `${root}bench/standins/keycloak.go`;
  const binary = `${root}bench/data/keycloak-go`;
  if (spawnSync('go', ['version']).status !== 0) {
    say('SKIPPED  the Go stand-in: go is not installed');
    return undefined;
  }
  if (existsSync(binary) && statSync(binary).mtimeMs > statSync(source).mtimeMs) return binary;
  mkdirSync(`${root}bench/data`, { recursive: true });
  const { status, stderr } = spawnSync('go', ['build', '-o', binary, source], { encoding: 'utf8' });
  if (status === 0) return binary;
  say(`SKIPPED  the Go stand-in: it does not build (${stderr.trim()})`);
  return undefined;
}
