import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { OutputError } from '../../src/errors.ts';
import type { LineFile } from '../../src/lib/line-file.ts';
import { appendOwnLines, createLines } from '../../src/storage/own-lines.ts';
import { createTestFolder } from '../support/folder.ts';
import { type FullDisk, limitDisk } from '../support/full-disk.ts';

let folder: string;
let path: string;
let disk: FullDisk;
beforeEach(() => {
  folder = createTestFolder();
  path = join(folder, 'lines');
  disk = limitDisk(folder, Infinity);
});

const lines = ['one', 'two', 'three', 'four', 'five'];
const whole = `${lines.join('\n')}\n`;
const written = () => fs.readFileSync(path, 'utf8');

/** The next call throws what goes wrong. */
function append(file: LineFile, line: string) {
  file.add(line);
  file.written().catch(() => undefined);
}

/** Writes a turn of the event loop after each `perTurn` lines; what a user is told. */
async function write(perTurn: number) {
  const file = createLines(path);
  try {
    for (const [at, line] of lines.entries()) {
      append(file, line);
      if (at % perTurn === perTurn - 1) await new Promise(setImmediate);
    }
    file.save();
    file.close();
    return undefined;
  } catch (error) {
    return error as OutputError;
  } finally {
    expect(() => file.close()).not.toThrow();
  }
}

describe('a line file', () => {
  it.each([
    ['of one turn', ['a', 'b', 'ümläut \u{1f600}']],
    ['longer than what is there to write from', ['x'.repeat(100_000), 'ü'.repeat(40_000), 'end']],
  ])('contains %s', async (_, [first = '', ...more]) => {
    const file = createLines(path);
    file.add(first);
    await file.written();
    for (const line of more) file.add(line);
    await file.synced(() => undefined);
    const text = `${[first, ...more].join('\n')}\n`;
    expect(written()).toBe(text);
    file.close();
    expect(written()).toBe(text);
  });

  it.each([1, 2, 5, 9])('on a full disk reports it, %d lines a turn', async (perTurn) => {
    for (let room = 0; room <= whole.length; room++) {
      fs.rmSync(path, { force: true });
      disk.room = room;
      expect((await write(perTurn))?.code).toBe(room < whole.length ? 'output:disk-full' : undefined);
      expect(written()).toBe(whole.slice(0, room));
    }
  });

  it('on a repeatedly full disk reports it although later lines fit', async () => {
    disk.room = 5;
    const file = createLines(path);
    append(file, 'one\ntwo');
    await new Promise(setImmediate);
    disk.room = Infinity;
    expect(() => file.add('three')).toThrow('the disk is full');
    expect(() => file.save()).toThrow('the disk is full');
    file.close();
  });

  it('does not count unwritten lines although a sync succeeds', async () => {
    disk.room = 0;
    const file = createLines(path);
    const counted: string[] = [];
    const synced = file.synced(() => counted.push('first'));
    file.add('second');
    const next = file.synced(() => counted.push('second'));
    await expect(file.written()).rejects.toThrow('the disk is full');
    await synced;
    await expect(next).rejects.toThrow('the disk is full');
    expect(counted).toEqual(['first']);
  });

  it.each(['fsyncSync', 'closeSync'] as const)('reports a failure of only %s', async (name) => {
    disk.failNext(name);
    expect((await write(2))?.code).toBe('output:disk-full');
  });

  it.each([
    ['with its folder', () => fs.rmSync(folder, { recursive: true })],
    ['alone', () => fs.rmSync(path)],
  ])('reports that it is deleted %s', async (_, remove) => {
    const file = createLines(path);
    append(file, 'one');
    await new Promise(setImmediate);
    remove();
    append(file, 'two');
    expect(() => file.save()).toThrow('it was deleted while it was written');
  });
});

it('a line file keeps lines that another process adds', () => {
  const own = { beginning: '{"at":', what: 'a list', advice: 'name another file with --list' };
  fs.writeFileSync(path, '{"at":1}\n{"a');
  expect(appendOwnLines(path, own, [{ at: 2 }])).toEqual(['{"at":1}']);
  const { openSync } = fs;
  fs.openSync = (...given) => {
    if (given[1] !== 'a') return openSync(...given);
    fs.openSync = openSync;
    fs.appendFileSync(path, '{"at":3}\n');
    return openSync(...given);
  };
  syncBuiltinESMExports();
  appendOwnLines(path, own, [{ at: 4 }]);
  expect(written()).toBe('{"at":1}\n{"at":2}\n{"at":3}\n{"at":4}\n');
});
