import { spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createFileSink, removeLeftBehind, temporaryName } from '../../src/storage/file-sink.ts';
import { createTestFolder } from '../support/folder.ts';

/** A process that was there and is gone. */
const gone = spawnSync(process.execPath, ['--version']).pid;

let path: string;
let sample: string;
beforeEach(() => {
  path = join(createTestFolder(), 'body.json');
  sample = basename(temporaryName(path));
});

const leave = (name: string) => writeFileSync(join(path, '..', name), 'secret');
const left = () => readdirSync(join(path, '..'));
/** Another random end, as every name has its own. */
const by = (writer: number | undefined) => sample.replace(/-\d+-[0-9a-f]{12}/, `-${writer}-0123456789ab`);

describe('a temporary file left behind', () => {
  it.each([
    ['by a process that is gone is removed', () => by(gone), 0],
    ['by an earlier process with our own number is removed, as in a container', () => by(process.pid), 0],
    ['by a process that still runs stays', () => by(process.ppid), 1],
    ['by this process itself stays', () => sample, 1],
    ['by another machine stays', () => by(gone).replace(/json\.[0-9a-f]{8}/, 'json.00000000'), 1],
    ['for another path stays', () => by(gone).replace('body.json', 'other.json'), 1],
    ['by another user stays', () => '.body.json.tmp', 1],
  ])('%s', (_, name, count) => {
    leave(name());
    removeLeftBehind(path);
    expect(left()).toHaveLength(count);
  });

  it('is removed when the path is written again', async () => {
    leave(by(gone));
    const sink = createFileSink(path);
    sink.write('new');
    await sink.commit();
    expect(left()).toEqual(['body.json']);
  });

  it('in a missing folder is ignored', () => {
    expect(() => removeLeftBehind(join(path, 'no', 'such', 'body.json'))).not.toThrow();
  });
});
