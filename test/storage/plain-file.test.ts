import { fstatSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { openInput } from '../../src/storage/open-input.ts';
import { createTestFolder } from '../support/folder.ts';
import type { Input } from '../../src/lib/input.ts';
import { Readable } from 'node:stream';

function fileInput(content: string | Uint8Array): Input {
  const cwd = createTestFolder();
  writeFileSync(join(cwd, 'in.json'), content);
  return openInput('in.json', { cwd });
}

describe('a file of plain bytes', () => {
  it('can be read from any place, and says how far it has been read', async () => {
    const text = Array.from({ length: 60_000 }, (_, number) => `${number};`).join('');
    const input = fileInput(text);
    const file = input.open?.();
    const into = Buffer.alloc(10);
    expect([file?.read(into, 1000), into.toString()]).toEqual([10, text.slice(1000, 1010)]);
    expect([file?.read(into, text.length - 4), into.toString('latin1', 0, 4)]).toEqual([4, text.slice(-4)]);
    expect([file?.read(into, text.length), file?.read(into, 10 * text.length)]).toEqual([0, 0]);
    expect(input.taken()).toBe(0);
    for (const passed of [77, 50]) file?.pass(passed);
    expect(input.taken()).toBe(77);
    let rest = '';
    for await (const block of file!.blocks(5000)) rest += Buffer.from(block).toString();
    expect(rest).toBe(text.slice(5000));
    expect(input.taken()).toBe(text.length);
    const { descriptor } = file!;
    expect(fstatSync(descriptor).size).toBe(text.length);
    file?.close();
    expect(() => file?.read(into, 0)).toThrow('in.json');
  });

  it.each<[string, string | Uint8Array]>([
    ['packed', gzipSync('{"users":[]}')],
    ['with a byte order mark', '\ufeff{"users":[]}'],
  ])('is something else where it is %s', (_, content) => {
    expect(fileInput(content).open?.()).toBeUndefined();
  });

  it('is not opened where another one stands in its place by now', () => {
    const cwd = createTestFolder();
    const [path, other] = [join(cwd, 'in.json'), join(cwd, 'other.json')];
    writeFileSync(path, '{"users":[]}');
    const input = openInput('in.json', { cwd });
    writeFileSync(other, '{"users":[]}');
    renameSync(other, path);
    expect(input.open?.()).toBeUndefined();
  });

  it('is nothing that standard input has', () => {
    expect(openInput('-', { stdin: Readable.from([]) }).open).toBeUndefined();
  });

  it('may be short or empty', () => {
    for (const text of ['', '{', '[]']) {
      const file = fileInput(text).open?.();
      const into = Buffer.alloc(4);
      expect([file?.read(into, 0), into.toString('latin1', 0, text.length)]).toEqual([text.length, text]);
      file?.close();
    }
  });
});
