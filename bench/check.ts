/** `check` of an import body beside the conversion that made it, and beside a script that looks at each user of it. */
import { copyFileSync, rmSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { formatBytes, formatCount } from '../src/lib/format.ts';
import type { Bench } from './bench.ts';
import { keycloakExport } from './keycloak/generate.ts';
import { idport, measure, nodeVersion, warm } from './measure.ts';
import { race, verdict } from './race.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));
const body = `${folder}data/import.json`;
const output = `${folder}data/import-again.json`;
/** A check is to take at most so many times as long as the conversion. */
const goal = 1.3;

export const checkBench: Bench = {
  name: 'check',
  about: 'check the import body of varied Keycloak users (100000 and 1000000 users)',
  async *rows(options) {
    for (const count of options.sizes.length > 0 ? options.sizes : [100_000, 1_000_000]) {
      options.say(`making a body of ${formatCount(count)} users`);
      const { path } = keycloakExport('varied', count);
      const profile = '--target-profile=all-verifiers';
      const flags = ['--org=1', '--default-region=DE', profile, `--realm=${path}`];
      const convert = [...idport, 'migrate', 'keycloak', ...flags];
      const { exitCode, stderr } = await measure([...convert, `--output=${output}`]);
      if (exitCode !== 0) throw new Error(`the conversion ended with ${exitCode}: ${stderr.slice(-500)}`);
      copyFileSync(output, body);
      for (const file of [path, body]) warm(file);
      const judged = 'idport check';
      const allowed = ['--max-emails=unlimited', '--max-sms=unlimited', profile];
      const script = [process.execPath, `${folder}standins/check-body.js`, body];
      const rows = await race(
        {
          task: `check of ${formatCount(count)} varied users (${formatBytes(statSync(body).size)})`,
          count,
          output,
          entrants: [
            // A larger body does not fit into the one string of a script.
            ...(count <= 500_000 ? [{ who: `Node ${nodeVersion}, whole file`, command: script }] : []),
            { who: 'idport migrate', command: [...convert, `--output=${output}`] },
            { who: judged, command: [...idport, 'check', ...allowed, body] },
          ],
          judged,
        },
        options,
      );
      const conversion = rows.find(({ who }) => who === 'idport migrate')!.seconds;
      for (const row of rows) {
        const times = row.seconds / conversion;
        const remark = `${times.toFixed(2)} times the conversion; ${verdict(`at most ${goal}`, times <= goal)}`;
        yield row.who === judged ? { ...row, remark } : row;
      }
    }
    for (const file of [body, output]) rmSync(file, { force: true });
  },
};
