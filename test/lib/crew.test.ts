import { describe, expect, it } from 'vitest';
import { createCrew, type Duty, type DutyPlan } from '../../src/lib/crew.ts';

const nothing = (): ArrayBuffer[] => [];
const doubling: Duty<number, number> = {
  work: (task) => 2 * task,
  movedTask: nothing,
  movedAnswer: nothing,
};

function plan(duty: Duty<number, number> = doubling): DutyPlan<number, number> {
  return { module: new URL('no-such-module.js', import.meta.url), job: undefined, duty };
}

async function gather<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const gathered: Item[] = [];
  for await (const item of items) gathered.push(item);
  return gathered;
}

async function* numbers(last: number, failure?: Error): AsyncGenerator<number> {
  for (let number = 1; number <= last; number++) {
    yield number;
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (failure !== undefined) throw failure;
}

describe('a crew of one', () => {
  it('does everything on this thread, in order', async () => {
    const crew = createCrew(1);
    const done = await gather(crew.run(numbers(3), plan()));
    expect(done).toEqual([
      { task: 1, answer: 2 },
      { task: 2, answer: 4 },
      { task: 3, answer: 6 },
    ]);
    await crew.close();
  });

  it('finishes what came before the tasks failed', async () => {
    const answers: number[] = [];
    const run = async (): Promise<void> => {
      const done = createCrew(1).run(numbers(2, new Error('no more')), plan());
      for await (const { answer } of done) answers.push(answer);
    };
    await expect(run()).rejects.toThrow('no more');
    expect(answers).toEqual([2, 4]);
  });
});

describe('a crew of several', () => {
  it('ends with an error when another thread cannot do its duty, and nobody waits for it', async () => {
    const crew = createCrew(2);
    await expect(gather(crew.run(numbers(100), plan()))).rejects.toThrow(Error);
    await crew.close();
  });
});
