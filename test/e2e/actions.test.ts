import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { parseArgv } from '../support/argv.ts';

const words = (line: string): string[] => line.split(' ');

describe('the command line of actions', () => {
  it.each<[string, Record<string, unknown>]>([
    [
      'actions listen',
      {
        host: '127.0.0.1',
        port: '0',
        tolerance: '5m',
        maxBody: '4MiB',
        forwardTimeout: '30s',
        status: '200',
        delay: '0s',
        format: 'text',
      },
    ],
    [
      'actions listen --port 80 --signing-key-file a --signing-key-file b --record calls --format json',
      { port: '80', signingKeyFile: ['a', 'b'], record: 'calls', format: 'json' },
    ],
    [
      'actions listen --host ::1 --forward-to http://h/ --forward-timeout 5s --calls 3 --allow-future',
      { host: '::1', forwardTo: 'http://h/', forwardTimeout: '5s', calls: '3', allowFuture: true },
    ],
    [
      'actions verify call.http --signing-key-file a --ignore-age',
      { file: 'call.http', signingKeyFile: ['a'], ignoreAge: true, tolerance: '5m' },
    ],
    [
      'actions verify call.http --signing-key-file a --allow-future',
      { file: 'call.http', allowFuture: true },
    ],
    ['actions sign - --signing-key-file a --at 17', { file: '-', signingKeyFile: ['a'], at: '17' }],
    ['actions replay calls --to http://h/', { path: 'calls', to: 'http://h/', timeout: '30s' }],
  ])('%s', async (line, options) => {
    expect(await parseArgv(words(line))).toMatchObject(options);
  });

  it.each([
    ['actions verify call.http', /--signing-key-file/],
    ['actions replay calls', /--to/],
    ['actions listen --format xml', /Allowed choices are text, json/],
    ['actions lisen', /Did you mean listen/],
  ])('%s is refused', async (line, message) => {
    const error = (await parseArgv(words(line)).catch((error: unknown) => error)) as UsageError;
    expect(error).toBeInstanceOf(UsageError);
    expect(`${error.message} ${error.hint}`).toMatch(message);
  });
});
