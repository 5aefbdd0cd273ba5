/** Sizes in, rows out: `check` of an import body, beside a script that looks at each person of it. */
import { existsSync, renameSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { formatBytes, formatCount } from '../src/lib/quantity.ts';
import type { Bench, Row } from './bench.ts';
import { keycloakExport } from './keycloak/generate.ts';
import { measure, measureMedian, warm } from './measure.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const idport = [process.execPath, `${root}bin/idport.js`];

export const checkBench: Bench = {
  name: 'check',
  about: 'check an import body (sizes: people, 100000 by default)',
  async *rows({ sizes, runs, say }) {
    for (const people of sizes.length > 0 ? sizes : [100_000]) {
      say(`making a body of ${formatCount(people)} people`);
      const body = await makeBody(people);
      warm(body);
      const task = `check of ${formatCount(people)} people (${formatBytes(statSync(body).size)})`;
      const row = async (who: string, command: readonly string[]): Promise<Row> => {
        say(who);
        const { seconds, cpuSeconds, peakBytes } = await measureMedian([...command, body], runs);
        const rate = `${formatCount(people / seconds)} people/s`;
        return { task, who, seconds, cpuSeconds, peakBytes, rate };
      };
      const script = await row('Node, whole file', [process.execPath, `${root}bench/standins/check-body.js`]);
      yield script;
      const ours = await row('idport', [...idport, 'check', '--allow-emails']);
      yield { ...ours, faster: [{ than: script.who, times: script.seconds / ours.seconds }] };
    }
  },
};

/** Of the export of as many people; kept beside it. */
async function makeBody(people: number): Promise<string> {
  const body = `${root}bench/data/import-${people}.json`;
  if (existsSync(body)) return body;
  const { path } = keycloakExport('uniform', people);
  const part = `${body}.part`;
  const command = [...idport, 'migrate', 'keycloak', '--org=1', `--realm=${path}`, `--output=${part}`];
  const { exitCode, stderr } = await measure(command);
  if (exitCode !== 0) throw new Error(`the conversion ended with ${exitCode}: ${stderr.slice(-500)}`);
  renameSync(part, body);
  return body;
}
