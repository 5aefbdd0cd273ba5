import { describe, expect, it } from 'vitest';
import { batchMemory } from '../../src/lib/batch-memory.ts';
import { createCrew, type Duty, type DutyPlan } from '../../src/lib/crew.ts';

const nothing = (): ArrayBuffer[] => [];
const doubling: Duty<number, number> = {
  work: (task) => 2 * task,
  buffersOfTask: nothing,
  buffersOfAnswer: nothing,
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

  it('uses the memory of a task again for the next one', async () => {
    const seen: { readonly buffer: ArrayBuffer; readonly text: string }[] = [];
    async function* tasks(): AsyncGenerator<Buffer<ArrayBuffer>> {
      for (const word of ['first', 'second', 'third']) {
        const bytes = Buffer.from(batchMemory.lend(77_777));
        bytes.fill(0).write(word);
        yield bytes;
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    const duty: Duty<Buffer<ArrayBuffer>, number> = {
      work: (task) => task.indexOf(0),
      buffersOfTask: (task) => [task.buffer],
      buffersOfAnswer: nothing,
    };
    const crew = createCrew(1);
    for await (const { task, answer } of crew.run(tasks(), { ...plan(), duty })) {
      seen.push({ buffer: task.buffer, text: task.toString('latin1', 0, answer) });
    }
    expect(seen.map(({ text }) => text)).toEqual(['first', 'second', 'third']);
    expect(new Set(seen.map(({ buffer }) => buffer)).size).toBe(1);
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
