/** A text in, on standard output once this resolves: for short outputs that must be seen at once. */
import type { Writable } from 'node:stream';
import { outputProblem } from './output-problem.ts';

/** Throws `OutputClosedError` when the reader has closed it (`| head`). */
export async function print(stream: Writable, text: string): Promise<void> {
  // Without a listener a closed pipe would end the process with a stack.
  if (stream.listenerCount('error') === 0) stream.on('error', () => {});
  await new Promise<void>((resolve, reject) => {
    stream.write(text, (error) => {
      if (error) reject(outputProblem('standard output', error));
      else resolve();
    });
  });
}
