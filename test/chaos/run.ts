/**
 * `npm run chaos [-- --points 200] [--seed n] [--only kills,ends]`: kills imports at random points and resumes them,
 * fills disks, closes outputs, sends signals. Exit code 1 if something was lost, doubled, half or not clear.
 */
import { parseArgs } from 'node:util';
import { drawFrom } from '../fuzz/draw.ts';
import { ends, leftOut } from './ends.ts';
import { live } from './life.ts';

const { values: flags } = parseArgs({
  options: {
    points: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    only: { type: 'string', default: 'kills,ends' },
  },
});

console.log(`seed ${flags.seed}`);
let troubled = 0;
if (flags.only.includes('kills')) await kill(Number(flags.points));
if (flags.only.includes('ends')) await endOtherwise();
console.log(troubled === 0 ? 'all is well' : `${troubled} in trouble`);
process.exitCode = troubled === 0 ? 0 : 1;

/** Both verbs by turns, each import killed a few times, until there were so many kills. */
async function kill(points: number): Promise<void> {
  let kills = 0;
  for (let number = 0; kills < points; number++) {
    const draw = drawFrom(Number(flags.seed) * 1000 + number);
    const verb = number % 2 === 0 ? 'import-users' : 'import';
    const life = await live(verb, Math.min(points - kills, 2 + draw.below(8)), draw);
    kills += life.kills;
    tell(
      `${verb} ${number}: killed ${life.kills} times, ${life.runs} runs (${kills} of ${points})`,
      life.troubles,
    );
  }
}

async function endOtherwise(): Promise<void> {
  for (const { name, run } of ends) tell(name, await run());
  for (const name of leftOut) console.log(`SKIPPED  ${name}: only the superuser can make such a disk`);
}

function tell(what: string, troubles: readonly string[]): void {
  console.log(`${troubles.length === 0 ? 'ok      ' : 'TROUBLE '} ${what}`);
  for (const trouble of troubles) console.log(`         ${trouble}`);
  if (troubles.length > 0) troubled += 1;
}
