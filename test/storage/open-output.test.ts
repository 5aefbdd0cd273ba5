import { linkSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createOutputs, openOutput } from '../../src/storage/open-output.ts';
import { createTestContext } from '../support/context.ts';
import { createTestFolder } from '../support/folder.ts';

describe('the outputs of a run', () => {
  it.each([
    ['body.json', 'body.json'],
    ['body.json', './body.json'],
    ['-', '-'],
  ])('never share a place: %s and %s', (first, second) => {
    const cwd = createTestFolder();
    const outputs = createOutputs({ cwd, stdout: createTestContext().context.stdout });
    const sink = outputs.open(first);
    expect(() => outputs.open(second)).toThrow(/would take two outputs/);
    sink.discard();
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('may all go to a device', () => {
    const outputs = createOutputs({ cwd: createTestFolder() });
    const sinks = [outputs.open('/dev/null'), outputs.open('/dev/null')];
    expect(sinks.map(({ name }) => name)).toEqual(['/dev/null', '/dev/null']);
    sinks.forEach((sink) => sink.discard());
  });

  it('never replace what the run has in use, by whatever name it goes', () => {
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
    for (const name of ['token', 'link', 'hard', 'sub/../token', join(cwd, 'token')]) {
      expect(() => openOutput(name, context)).toThrow(/is the same file as the token/);
      expect(() => outputs.claim('a journal', name)).toThrow(/is the same file as the token/);
    }
    expect(() => openOutput('./x.journal', context)).toThrow(/is the same file as the journal/);
    outputs.claim('a journal', 'y.journal');
    expect(() => outputs.claim('a list', 'y.journal')).toThrow(/is the same file as a journal/);
    expect(readdirSync(cwd).toSorted()).toEqual(['hard', 'link', 'sub', 'token']);
  });

  it('are one place where a link leads to the other', () => {
    const cwd = createTestFolder();
    writeFileSync(join(cwd, 'a.json'), '');
    symlinkSync('a.json', join(cwd, 'b.json'));
    const outputs = createOutputs({ cwd });
    const sink = outputs.open('a.json');
    expect(() => outputs.open('b.json')).toThrow(/would take two outputs/);
    sink.discard();
  });

  it('have a name', () => {
    expect(() => openOutput('')).toThrow(/is empty/);
  });
});
