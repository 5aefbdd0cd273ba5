/**
 * `npm run chaos [-- --points 200] [--seed n] [--only kills,outputs,late,pairs,ends] [--verb import-users] [--lost 0.05]
 * [--lag 120000]`: kills imports at random points and resumes
 * them, starts two on one journal, fills disks, closes outputs, sends signals. `--only late`: lives against lists that
 * lag, on a clock that moves by itself. `--only outputs`: verbs without a journal. Exit code 1 if something was lost, doubled, half or not clear.
 */
import { parseArgs } from 'node:util';
import { drawFrom } from '../support/draw.ts';
import { ends, leftOut } from './ends.ts';
import { liveLate } from './late-life.ts';
import { live } from './life.ts';
import { liveOutput, outputVerbs } from './output-life.ts';
import { livePair } from './pair.ts';
import { canSeparate } from '../support/process.ts';

const { values: flags } = parseArgs({
  options: {
    points: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    only: { type: 'string', default: 'kills,outputs,late,pairs,ends' },
    verb: { type: 'string' },
    lost: { type: 'string' },
    lag: { type: 'string' },
  },
});

const numberOf = (text: string | undefined) => (text === undefined ? undefined : Number(text));
const verbs = (['import-users', 'import', 'copy'] as const).filter((verb) =>
  [undefined, verb].includes(flags.verb as typeof verb),
);

console.log(`seed ${flags.seed}`);
let troubled = 0;
if (flags.only.includes('kills')) await kill(Number(flags.points));
if (flags.only.includes('outputs')) await killOutputs(Math.ceil(Number(flags.points) / 10));
if (flags.only.includes('pairs')) await pair(Math.ceil(Number(flags.points) / 10));
if (flags.only.includes('late')) await killLate(Number(flags.points));
if (flags.only.includes('ends')) await endOtherwise();
console.log(troubled === 0 ? 'all is well' : `${troubled} in trouble`);
process.exitCode = troubled === 0 ? 0 : 1;

/** The verbs by turns, each import killed a few times, until there were so many kills. */
async function kill(points: number) {
  let kills = 0;
  for (let number = 0; kills < points; number++) {
    const draw = drawFrom(Number(flags.seed) * 1000 + number);
    const verb = verbs[number % verbs.length]!;
    const most = Math.min(points - kills, 2 + draw.below(8));
    const life = await live(verb, most, draw, { lost: numberOf(flags.lost), lag: numberOf(flags.lag) });
    kills += life.kills;
    tell(
      `${verb} ${number}: killed ${life.kills} times, ${life.runs} runs (${kills} of ${points})`,
      life.troubles,
    );
  }
}

/** Two processes on one journal, in one place and in two. */
async function pair(pairs: number) {
  const isSeparable = canSeparate();
  for (let number = 0; number < pairs; number++) {
    const verb = number % 2 === 0 ? 'import-users' : 'import';
    const apart = isSeparable && number % 4 > 1;
    const { kills, runs, refused, troubles } = await livePair(
      verb,
      apart,
      drawFrom(Number(flags.seed) * 2000 + number),
    );
    const place = apart ? 'two PID namespaces' : 'one place';
    tell(
      `two of ${verb} ${number} in ${place}: killed ${kills} times, ${refused} of ${runs} starts refused`,
      troubles,
    );
  }
  if (!isSeparable) console.log('SKIPPED  two PID namespaces: not permitted here');
}

/** The verbs without a journal by turns. */
async function killOutputs(lives: number) {
  const named = Object.keys(outputVerbs).filter((verb) => [undefined, verb].includes(flags.verb));
  for (let number = 0; number < lives && named.length > 0; number++) {
    const verb = named[number % named.length]!;
    const draw = drawFrom(Number(flags.seed) * 3000 + number);
    const kills = 1 + draw.below(5);
    tell(`${verb} ${number}: killed up to ${kills} times`, await liveOutput(verb, kills, draw));
  }
}

async function killLate(points: number) {
  for (let kills = 0, number = 0; kills < points; number++) {
    const draw = drawFrom(Number(flags.seed) * 1000 + number);
    const verb = number % 2 === 0 ? 'import-users' : 'import';
    const life = await liveLate(verb, Math.min(points - kills, 1 + draw.below(6)), draw);
    kills += life.kills;
    tell(`${verb} ${number}, lists ${life.lag} ms behind: killed ${life.kills} times`, life.troubles);
  }
}

async function endOtherwise() {
  for (const { name, run } of ends) tell(name, await run());
  for (const name of leftOut) console.log(`SKIPPED  ${name}: only the superuser can make such a disk`);
}

function tell(what: string, troubles: readonly string[]) {
  console.log(`${troubles.length === 0 ? 'ok      ' : 'TROUBLE '} ${what}`);
  for (const trouble of troubles) console.log(`         ${trouble}`);
  if (troubles.length > 0) troubled += 1;
}
