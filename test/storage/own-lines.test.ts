import fs from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OutputError } from '../../src/errors.ts';
import type { LineFile } from '../../src/lib/line-file.ts';
import { createLines } from '../../src/storage/own-lines.ts';
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

const lines = ['one', 'two', 'three', 'four', 'five'];
const whole = `${lines.join('\n')}\n`;

function append(file: LineFile, line: string): void {
  file.add(line);
  file.written().catch(() => undefined);
}

/** Writes a turn of the event loop after each `perTurn` lines; true when no user was told of a problem. */
async function write(perTurn: number) {
  const file = createLines(path);
  const problems: unknown[] = [];
  const attempt = (step: () => void) => {
    try {
      step();
    } catch (error) {
      problems.push(error);
    }
  };
  for (const [at, line] of lines.entries()) {
    attempt(() => append(file, line));
    if (at % perTurn === perTurn - 1) await new Promise(setImmediate);
  }
  attempt(() => file.save());
  attempt(() => file.close());
  expect(() => file.close()).not.toThrow();
  expect(problems.every((problem) => problem instanceof OutputError)).toBe(true);
  return problems.length === 0;
}

const written = () => fs.readFileSync(path, 'utf8');

describe('a file of lines', () => {
  it.each([1, 2, 5, 9])('on a disk that is full at any byte says so, %d lines a turn', async (perTurn) => {
    for (let room = 0; room <= whole.length; room++) {
      fs.rmSync(path, { force: true });
      disk.room = room;
      expect(await write(perTurn)).toBe(room === whole.length);
      expect(written()).toBe(whole.slice(0, room));
    }
  });

  it('on a disk that is full again and again says so, although later lines fit', async () => {
    disk.room = 5;
    const file = createLines(path);
    append(file, 'one\ntwo');
    await new Promise(setImmediate);
    disk.room = Infinity;
    expect(() => file.add('three')).toThrow('the disk is full');
    expect(() => file.save()).toThrow('the disk is full');
    file.close();
  });

  it.each(['fsyncSync', 'closeSync'] as const)('that fails only at %s says so', async (name) => {
    disk.failNext(name);
    expect(await write(2)).toBe(false);
  });

  it.each([
    ['with its folder', () => fs.rmSync(folder, { recursive: true })],
    ['alone', () => fs.rmSync(path)],
  ])('that is deleted %s says so', async (_, remove) => {
    const file = createLines(path);
    append(file, 'one');
    await new Promise(setImmediate);
    remove();
    append(file, 'two');
    expect(() => file.save()).toThrow('it was deleted while it was written');
  });
});
