import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { InputError, UsageError } from '../../src/errors.ts';
import type { Input } from '../../src/lib/input.ts';
import { inputProblem } from '../../src/storage/file-problem.ts';
import { openInput, openInputs } from '../../src/storage/open-input.ts';
import { createTestFolder } from '../support/folder.ts';
import { hasOpenFiles, openFilesIn } from './open-files.ts';

let cwd: string;
beforeEach(() => {
  cwd = createTestFolder();
});

const write = (name: string, content: string | Uint8Array) => writeFileSync(join(cwd, name), content);

async function textOf(input: Input) {
  let text = '';
  for await (const block of input.blocks()) text += Buffer.from(block).toString('latin1');
  return text;
}

function thrownBy(step: () => unknown) {
  try {
    return step();
  } catch (error) {
    return error;
  }
}

describe('openInput of a file', () => {
  it('reads it repeatedly and counts the bytes taken', async () => {
    const text = 'x'.repeat(300_000);
    write('realm.json', text);
    const input = openInput('realm.json', { cwd });
    expect([input.name, input.size, input.repeatable, input.taken()]).toEqual([
      'realm.json',
      300_000,
      true,
      0,
    ]);
    expect(await textOf(input)).toBe(text);
    expect(input.taken()).toBe(300_000);
    expect(await textOf(input)).toBe(text);
    expect(input.taken()).toBe(300_000);
  });

  it('unpacks gzip by content, and counts bytes on disk', async () => {
    const packed = gzipSync('{"users":[]}');
    write('realm.json', packed);
    write('plain.gz', '{"users":[1]}');
    const input = openInput('realm.json', { cwd });
    expect(await textOf(input)).toBe('{"users":[]}');
    expect([input.size, input.taken()]).toEqual([packed.length, packed.length]);
    expect(await textOf(openInput('plain.gz', { cwd }))).toBe('{"users":[1]}');
  });

  it('ends with the run', async () => {
    write('a.json', '{}');
    const signal = AbortSignal.abort(new Error('stop'));
    for (const name of ['a.json', '-'])
      await expect(textOf(openInput(name, { cwd, stdin: Readable.from(['x']), signal }))).rejects.toThrow(
        'stop',
      );
  });

  it('yields to timers and signals while it reads', async () => {
    write('large.json', Buffer.alloc(12_000_000, ' '));
    let turns = 0;
    let reading = true;
    const tick = () => {
      turns++;
      if (reading) setImmediate(tick);
    };
    setImmediate(tick);
    await textOf(openInput('large.json', { cwd }));
    reading = false;
    expect(turns).toBeGreaterThanOrEqual(3);
  });

  it.skipIf(!hasOpenFiles)('closes it if the reader stops (needs /proc)', async () => {
    write('a.json', Buffer.alloc(2_000_000, ' '));
    write('b.json', gzipSync(Buffer.alloc(2_000_000, ' '), { level: 0 }));
    for (const name of ['a.json', 'b.json']) {
      for await (const _ of openInput(name, { cwd }).blocks()) break;
    }
    await new Promise((done) => setTimeout(done, 20));
    expect(openFilesIn(cwd)).toEqual([]);
  });
});

describe('openInput of standard input and pipes', () => {
  it('reads standard input once', async () => {
    const input = openInput('-', {
      stdin: Readable.from([Buffer.from([0xef]), Buffer.from([0xbb, 0xbf, 0x7b]), '}']),
    });
    expect([input.name, input.size, input.repeatable]).toEqual(['-', undefined, false]);
    expect(await textOf(input)).toBe('{}');
    expect(input.taken()).toBe(5);
    expect(() => input.blocks()).toThrow('only once');
  });

  it.skipIf(process.platform === 'win32')('reads a named pipe (needs Linux or macOS)', async () => {
    execFileSync('mkfifo', [join(cwd, 'pipe')]);
    const input = openInput('pipe', { cwd });
    expect([input.size, input.repeatable]).toEqual([undefined, false]);
    const [text] = await Promise.all([textOf(input), appendFile(join(cwd, 'pipe'), '{"users":[]}')]);
    expect(text).toBe('{"users":[]}');
  });
});

describe('openInput refuses', () => {
  it('a missing file and suggests similar names', () => {
    for (const name of ['demo-realm.json', 'demo-users-0.json', 'zzz.json']) write(name, '{}');
    mkdirSync(join(cwd, 'exports'));
    write('exports/realm.json.gz', '');
    const missing = (name: string) => thrownBy(() => openInput(name, { cwd })) as InputError;
    expect(missing('demo-relm.json').message).toBe('demo-relm.json: there is no such file');
    expect(missing('demo-relm.json').code).toBe('input:not-found');
    expect(missing('demo-relm.json').hint).toBe('Did you mean demo-realm.json?');
    expect(missing('exports/realm.json').hint).toBe('Did you mean exports/realm.json.gz?');
    expect(missing('export/realm.json').hint).toContain('Check the path');
    expect(missing('completely-different').hint).toContain('Check the path');
    expect(missing('zzz.json/x').message).toBe('zzz.json/x: a part of the path is a file, not a folder');
  });

  it('a folder', () => {
    const error = thrownBy(() => openInput('.', { cwd })) as InputError;
    expect([error.code, error.message]).toEqual(['input:is-folder', '.: it is a folder, not a file']);
  });

  it('an unreadable file', () => {
    const error = inputProblem('realm.json', Object.assign(new Error(), { code: 'EACCES' }));
    expect([error.code, error.message]).toEqual([
      'input:unreadable',
      'realm.json: reading it is not permitted',
    ]);
    expect(error.hint).toContain('the right to read it');
    expect(inputProblem('realm.json', { code: 'EIO' }).message).toBe(
      'realm.json: it could not be read (EIO)',
    );
  });

  it('another scheme, an input named twice, and missing standard input', () => {
    expect(thrownBy(() => openInput('s3://bucket/realm.json'))).toBeInstanceOf(UsageError);
    expect(thrownBy(() => openInputs(['-', '-']))).toBeInstanceOf(UsageError);
    expect(thrownBy(() => openInput('-'))).toBeInstanceOf(UsageError);
  });

  it('a file that vanished after it was opened', async () => {
    write('a.json', '{}');
    const input = openInput('a.json', { cwd });
    execFileSync('rm', [join(cwd, 'a.json')]);
    await expect(textOf(input)).rejects.toMatchObject({ code: 'input:not-found' });
    expect(readdirSync(cwd)).toEqual([]);
  });
});
