/**
 * `npm run chaos [-- --points 200] [--seed n] [--only kills,outputs,late,pairs,ends] [--verb import-users] [--lost 0.05]
 * [--lag 120000]`: kills imports at random points and resumes
 * them, starts two on one journal, fills disks, closes outputs, sends signals. `--only late`: lives against lists that
 * lag, on a clock that moves by itself. `--only outputs`: verbs without a journal. Exit code 1 if something was lost, doubled, half or not clear.
 */
import { parseArgs } from 'node:util';
import { type Draw, drawFrom } from '../support/draw.ts';
import { ends, leftOut } from './ends.ts';
import { liveLate } from './late-life.ts';
import { live } from './life.ts';
import { liveOutput, outputVerbs } from './output-life.ts';
import { livePair } from './pair.ts';
import { canSeparate } from '../support/process.ts';
import { tell } from '../support/tell.ts';

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
const points = Number(flags.points);
const report = (what: string, troubles: readonly string[]) => tell(what, troubles.length === 0, ...troubles);
const isAsked = (verb: string) => [undefined, verb].includes(flags.verb);
const both = ['import-users', 'import'] as const;

const kinds: Readonly<Record<string, () => Promise<void>>> = {
  kills: () =>
    byTurns([...both, 'copy' as const].filter(isAsked), points, async (verb, left, draw) => {
      const hardship = { lost: numberOf(flags.lost), lag: numberOf(flags.lag) };
      const life = await live(verb, Math.min(left, 2 + draw.below(8)), draw, hardship);
      return { ...life, told: `killed ${life.kills} times, ${life.runs} runs` };
    }),
  /** Verbs without a journal. */
  outputs: () =>
    byTurns(Object.keys(outputVerbs).filter(isAsked), points / 10, async (verb, _, draw) => {
      const most = 1 + draw.below(5);
      return { told: `killed up to ${most} times`, troubles: await liveOutput(verb, most, draw) };
    }),
  /** Two processes on one journal, in one place and in two. */
  async pairs() {
    const isSeparable = canSeparate();
    await byTurns(both, points / 10, async (verb, _left, draw, number) => {
      const apart = isSeparable && number % 4 > 1;
      const { kills, runs, refused, troubles } = await livePair(verb, apart, draw);
      const place = apart ? 'two PID namespaces' : 'one place';
      return {
        told: `two in ${place}: killed ${kills} times, ${refused} of ${runs} starts refused`,
        troubles,
      };
    });
    if (!isSeparable) console.log('SKIPPED  two PID namespaces: not permitted here');
  },
  late: () =>
    byTurns(both, points, async (verb, left, draw) => {
      const life = await liveLate(verb, Math.min(left, 1 + draw.below(6)), draw);
      return { ...life, told: `lists ${life.lag} ms behind: killed ${life.kills} times` };
    }),
  async ends() {
    for (const { name, run } of ends) report(name, await run());
    for (const name of leftOut) console.log(`SKIPPED  ${name}: only the superuser can make such a disk`);
  },
};

console.log(`seed ${flags.seed}`);
for (const [name, run] of Object.entries(kinds)) if (flags.only.includes(name)) await run();
console.log(process.exitCode === 1 ? 'there is trouble' : 'all is well');

interface Life {
  /** 1 where lives are counted, not kills. */
  readonly kills?: number;
  readonly told: string;
  readonly troubles: readonly string[];
}

/** The verbs by turns, until there were so many kills. */
async function byTurns<Verb extends string>(
  verbs: readonly Verb[],
  most: number,
  lead: (verb: Verb, left: number, draw: Draw, number: number) => Promise<Life>,
) {
  for (let left = most, number = 0; left > 0 && verbs.length > 0; number++) {
    const verb = verbs[number % verbs.length]!;
    const {
      kills = 1,
      told,
      troubles,
    } = await lead(verb, left, drawFrom(Number(flags.seed) * 1000 + number), number);
    left -= kills;
    report(`${verb} ${number}: ${told}`, troubles);
  }
}
