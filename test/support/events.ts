/** A run as events, from its start to its end: what listeners are tested with. */
import type { IdportEvent } from '../../src/events.ts';
import { decodeEvent, eventOf } from './workspace.ts';
import { readProject } from './folder.ts';

/** An event and the milliseconds that pass before it. */
export type Timed = readonly [after: number, event: IdportEvent];

const readRun = () =>
  readProject('fixtures/example-run.jsonl')
    .trimEnd()
    .split('\n')
    .map((line): Timed => {
      const { stamp, event } = decodeEvent(line);
      return [stamp.at, event];
    });

export const exampleRun = readRun();

export const exampleTally = () => eventOf({ events: readRun().map(([, event]) => event) }, 'run:end').tally;
