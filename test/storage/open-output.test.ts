import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createOutputOpener, openOutput } from '../../src/storage/open-output.ts';
import { createTestContext } from '../support/context.ts';
import { createTestFolder } from '../support/folder.ts';

describe('the outputs of a run', () => {
  it.each([
    ['body.json', 'body.json'],
    ['body.json', './body.json'],
    ['-', '-'],
  ])('never share a place: %s and %s', (first, second) => {
    const cwd = createTestFolder();
    const open = createOutputOpener({ cwd, stdout: createTestContext().context.stdout });
    const sink = open(first);
    expect(() => open(second)).toThrow(/would take two outputs/);
    sink.discard();
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('may all go to a device', () => {
    const open = createOutputOpener({ cwd: createTestFolder() });
    const sinks = [open('/dev/null'), open('/dev/null')];
    expect(sinks.map(({ name }) => name)).toEqual(['/dev/null', '/dev/null']);
    sinks.forEach((sink) => sink.discard());
  });

  it('have a name', () => {
    expect(() => openOutput('')).toThrow(/is empty/);
  });
});
