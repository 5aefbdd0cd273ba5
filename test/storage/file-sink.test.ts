import { execFile, execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { OutputError } from '../../src/errors.ts';
import { createFileSink, discardUnfinished, openOutput } from '../../src/storage/file-sink.ts';
import { createTestFolder } from '../support/folder.ts';

let cwd: string;
beforeEach(() => {
  cwd = createTestFolder();
});

const read = (name: string) => readFileSync(join(cwd, name), 'utf8');
const modeOf = (name: string) => statSync(join(cwd, name)).mode & 0o777;

describe('createFileSink', () => {
  it('writes a private file that appears only on commit', async () => {
    const sink = createFileSink('body.json', cwd);
    sink.write('{"name":"Zoë 😀');
    sink.write(Buffer.from('"}'));
    const [temporary, ...others] = readdirSync(cwd);
    expect(others).toEqual([]);
    expect(temporary).toMatch(/^\.body\.json\.[0-9a-f]{8}-\d+-[0-9a-f]{12}\.tmp$/);
    expect(modeOf(temporary!)).toBe(0o600);
    await sink.commit();
    expect(readdirSync(cwd)).toEqual(['body.json']);
    expect(read('body.json')).toBe('{"name":"Zoë 😀"}');
    expect(modeOf('body.json')).toBe(0o600);
    expect(sink.bytes).toBe(Buffer.byteLength('{"name":"Zoë 😀"}'));
  });

  it('writes chunks of any size in order', async () => {
    const sink = createFileSink('body.json', cwd);
    const chunks: (string | Buffer)[] = [];
    for (const length of [1, 1000, 80_000, 100_000, 262_144, 262_145, 3, 600_000, 87_381, 87_382, 5]) {
      chunks.push('é'.repeat(length), Buffer.alloc(length, 'b'), 'a'.repeat(length));
    }
    for (const chunk of chunks) sink.write(chunk);
    await sink.commit();
    const written = readFileSync(join(cwd, 'body.json'));
    expect(written.equals(Buffer.concat(chunks.map((chunk) => Buffer.from(chunk as string))))).toBe(true);
    expect(sink.bytes).toBe(written.length);
  });

  it('replaces an existing file only on commit, and makes it private', async () => {
    writeFileSync(join(cwd, 'body.json'), 'old');
    chmodSync(join(cwd, 'body.json'), 0o644);
    const sink = createFileSink('body.json', cwd);
    sink.write('new');
    expect(read('body.json')).toBe('old');
    await sink.commit();
    expect(read('body.json')).toBe('new');
    expect(modeOf('body.json')).toBe(0o600);
  });

  it.each([
    ['nowhere', 'nowhere.json'],
    ['in a circle', 'link.json'],
  ])('replaces a link that leads %s', async (_, target) => {
    symlinkSync(target, join(cwd, 'link.json'));
    const sink = openOutput('link.json', { cwd });
    await sink.write('whole');
    await sink.commit();
    expect(read('link.json')).toBe('whole');
  });

  it('writes through a link', async () => {
    mkdirSync(join(cwd, 'there'));
    writeFileSync(join(cwd, 'there', 'body.json'), 'old');
    symlinkSync(join(cwd, 'there', 'body.json'), join(cwd, 'link.json'));
    const sink = createFileSink('link.json', cwd);
    sink.write('new');
    await sink.commit();
    expect(read('there/body.json')).toBe('new');
    expect(readdirSync(cwd)).toEqual(['link.json', 'there']);
  });

  it('leaves nothing after discard, alone or with all, even twice', async () => {
    writeFileSync(join(cwd, 'body.json'), 'old');
    const first = createFileSink('body.json', cwd);
    const second = createFileSink('report.json', cwd);
    const third = createFileSink('rejects.json', cwd);
    for (const sink of [first, second, third]) sink.write('x'.repeat(300_000));
    await third.commit();
    first.discard();
    first.discard();
    discardUnfinished();
    third.discard();
    expect(readdirSync(cwd)).toEqual(['body.json', 'rejects.json']);
    expect(read('body.json')).toBe('old');
    await expect(first.commit()).rejects.toThrow('closed');
    expect(() => first.write('x')).toThrow('closed');
  });

  it('leaves nothing if the commit fails', async () => {
    const sink = createFileSink('body.json', cwd);
    sink.write('x');
    mkdirSync(join(cwd, 'body.json'));
    await expect(sink.commit()).rejects.toBeInstanceOf(OutputError);
    sink.discard();
    expect(readdirSync(cwd)).toEqual(['body.json']);
  });

  it.skipIf(process.platform === 'win32')('writes to a device or pipe (needs Linux or macOS)', async () => {
    const nothing = createFileSink('/dev/null');
    nothing.write('x');
    await nothing.commit();
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
    execFileSync('mkfifo', [join(cwd, 'pipe')]);
    const text = readFile(join(cwd, 'pipe'), 'utf8');
    // The second as a shell passes `>(gzip > body.gz)`.
    const write = `for to in "$1/pipe" /dev/fd/1; do "$0" --import tsx --input-type=module -e "$2" $to; done | cat`;
    const args = ['-c', write, process.execPath, cwd, pipeWriter];
    const { stdout } = await promisify(execFile)('sh', args);
    expect([await text, stdout]).toEqual(Array(2).fill('x'.repeat(500_000)));
    expect(statSync(join(cwd, 'pipe')).isFIFO()).toBe(true);
  });
});

const fileSinkPath = fileURLToPath(new URL('../../src/storage/file-sink.ts', import.meta.url));
const pipeWriter = `
  const { createFileSink } = await import(${JSON.stringify(fileSinkPath)});
  const sink = createFileSink(process.argv[1]);
  sink.write('x'.repeat(500000));
  await sink.commit();
`;

describe('createFileSink refuses', () => {
  it('a missing folder and a folder as the file', () => {
    mkdirSync(join(cwd, 'folder'));
    expect(() => createFileSink('none/body.json', cwd)).toThrow('none/body.json: its folder does not exist');
    expect(() => createFileSink('folder', cwd)).toThrow('folder: it is a folder');
  });

  it.skipIf(process.platform !== 'linux')('a full disk (needs Linux)', () => {
    const sink = createFileSink('/dev/full');
    expect(() => sink.write('x'.repeat(300_000))).toThrow('/dev/full: the disk is full');
    sink.discard();
  });
});
