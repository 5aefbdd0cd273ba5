import { linkSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { openInput } from '../../src/storage/open-input.ts';
import { createOutputs, openOutput } from '../../src/storage/file-sink.ts';
import { createTestContext } from '../support/context.ts';
import { createTestFolder } from '../support/folder.ts';

describe('outputs of a run', () => {
  it.each([
    ['body.json', 'body.json'],
    ['body.json', './body.json'],
    ['body.json', 'link.json'],
    ['-', '-'],
  ])('are refused if two share a place: %s and %s', (first, second) => {
    const cwd = createTestFolder();
    writeFileSync(join(cwd, 'body.json'), '');
    symlinkSync('body.json', join(cwd, 'link.json'));
    const outputs = createOutputs({ cwd, stdout: createTestContext().context.stdout });
    const sink = outputs.open(first);
    expect(() => outputs.open(second)).toThrow('would take two outputs');
    sink.discard();
    expect(readdirSync(cwd)).toEqual(['body.json', 'link.json']);
  });

  it('may share a device', () => {
    const outputs = createOutputs({ cwd: createTestFolder() });
    const sinks = [outputs.open('/dev/null'), outputs.open('/dev/null')];
    expect(sinks.map(({ name }) => name)).toEqual(['/dev/null', '/dev/null']);
    sinks.forEach((sink) => sink.discard());
  });

  it('never replace files in use, by any path', () => {
    const cwd = createTestFolder();
    writeFileSync(join(cwd, 'token'), 'secret');
    symlinkSync('token', join(cwd, 'link'));
    linkSync(join(cwd, 'token'), join(cwd, 'hard'));
    mkdirSync(join(cwd, 'sub'));
    const context = {
      cwd,
      inUse: [
        { what: 'the token', path: 'token' },
        { what: 'the journal', path: join(cwd, 'x.journal') },
        { what: 'the key', path: undefined },
      ],
    };
    const outputs = createOutputs(context);
    const reading = createOutputs({ cwd });
    reading.reads([openInput('token', { cwd })]);
    for (const name of ['token', 'link', 'hard', 'sub/../token', join(cwd, 'token')]) {
      expect(() => openOutput(name, context)).toThrow('is the same file as the token');
      expect(() => outputs.claim('a journal', name)).toThrow('is the same file as the token');
      expect(() => reading.open(name)).toThrow(UsageError);
    }
    expect(() => openOutput('./x.journal', context)).toThrow('is the same file as the journal');
    outputs.claim('a journal', 'y.journal');
    expect(() => outputs.claim('a list', 'y.journal')).toThrow('is the same file as a journal');
    expect(readdirSync(cwd).toSorted()).toEqual(['hard', 'link', 'sub', 'token']);
  });

  it.each(['', 'folder/'])('are refused without a file name: %j', (name) => {
    expect(() => openOutput(name)).toThrow(`the output '${name}' names no file`);
  });
});
