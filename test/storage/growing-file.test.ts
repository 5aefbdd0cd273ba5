import fs from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OutputError } from '../../src/errors.ts';
import { createGrowingFile } from '../../src/storage/growing-file.ts';
import { createTestFolder } from '../support/folder.ts';
import { type FullDisk, limitDisk } from '../support/full-disk.ts';

let folder: string;
let path: string;
let disk: FullDisk;
beforeEach(() => {
  folder = createTestFolder();
  path = join(folder, 'ids.csv');
  disk = limitDisk(folder, Infinity);
});
afterEach(() => disk.restore());

const lines = ['one\n', 'two\n', 'three\n', 'four\n', 'five\n'];
const whole = lines.join('');

/** Writes a turn of the event loop after each `perTurn` lines; true when no user was told of a problem. */
async function write(perTurn: number) {
  const file = createGrowingFile(path);
  const problems: unknown[] = [];
  const attempt = (step: () => void) => {
    try {
      step();
    } catch (error) {
      problems.push(error);
    }
  };
  for (const [at, line] of lines.entries()) {
    attempt(() => file.append(line));
    if (at % perTurn === perTurn - 1) await new Promise(setImmediate);
  }
  attempt(() => file.close());
  expect(() => file.close()).not.toThrow();
  expect(problems.every((problem) => problem instanceof OutputError)).toBe(true);
  return problems.length === 0;
}

const written = () => fs.readFileSync(path, 'utf8');

describe('a growing file', () => {
  it.each([1, 2, 5, 9])('on a disk that is full at any byte says so, %d lines a turn', async (perTurn) => {
    for (let room = 0; room <= whole.length; room++) {
      disk.room = room;
      expect(await write(perTurn)).toBe(room === whole.length);
      expect(written()).toBe(whole.slice(0, room));
    }
  });

  it('on a disk that is full again and again says so, although later lines fit', async () => {
    disk.room = 5;
    const file = createGrowingFile(path);
    file.append('one\ntwo\n');
    await new Promise(setImmediate);
    disk.room = Infinity;
    expect(() => file.append('three\n')).toThrow('the disk is full');
    expect(() => file.close()).toThrow('the disk is full');
  });

  it.each(['fsyncSync', 'closeSync'] as const)('that fails only at %s says so', async (name) => {
    disk.failNext(name);
    expect(await write(2)).toBe(false);
  });

  it.each([
    ['with its folder', () => fs.rmSync(folder, { recursive: true })],
    ['alone', () => fs.rmSync(path)],
  ])('that is deleted %s says so', async (_, remove) => {
    const file = createGrowingFile(path);
    file.append('one\n');
    await new Promise(setImmediate);
    remove();
    expect(() => file.close()).toThrow('it was deleted while it was written');
  });
});
