/** A text in, on standard output once this resolves: for short outputs that must be seen at once. */
import type { Writable } from 'node:stream';
import { outputProblem } from './output-problem.ts';

const guarded = new WeakSet<Writable>();

/** Throws `OutputClosedError` when the reader has closed it (`| head`). */
export async function print(stream: Writable, text: string): Promise<void> {
  // Without a listener of our own a closed pipe would end the process with a stack, whoever else listens.
  if (!guarded.has(stream)) stream.on('error', () => {});
  guarded.add(stream);
  await new Promise<void>((resolve, reject) => {
    stream.write(text, (error) => {
      if (error) reject(outputProblem('standard output', error));
      else resolve();
    });
  });
}
