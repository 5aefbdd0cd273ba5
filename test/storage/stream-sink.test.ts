import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { openOutput } from '../../src/storage/file-sink.ts';

/** A stream that accepts a write only on request. */
function createSlowStream(): { stream: Writable; taken: Buffer[]; release: () => void } {
  const taken: Buffer[] = [];
  let waiting: (() => void) | undefined;
  const stream = new Writable({
    highWaterMark: 1000,
    write(chunk, _encoding, done) {
      taken.push(chunk);
      waiting = done;
    },
  });
  const release = () => {
    const done = waiting;
    waiting = undefined;
    done?.();
  };
  return { stream, taken, release };
}

describe('standard output', () => {
  it('receives everything in order and stays open', async () => {
    const chunks: Buffer[] = [];
    const stream = new Writable({
      write(chunk, _encoding, done) {
        chunks.push(chunk);
        setImmediate(done);
      },
    });
    const sink = openOutput('-', { stdout: stream });
    for (let n = 0; n < 200; n++) await sink.write(`${n}é`.repeat(1000));
    await sink.commit();
    const expected = Array.from({ length: 200 }, (_, n) => `${n}é`.repeat(1000)).join('');
    expect(Buffer.concat(chunks).toString()).toBe(expected);
    expect(sink.bytes).toBe(Buffer.byteLength(expected));
    expect([stream.destroyed, stream.writableEnded]).toEqual([false, false]);
  });

  it('makes the writer wait for a slow reader', async () => {
    const { stream, taken, release } = createSlowStream();
    const sink = openOutput('-', { stdout: stream });
    expect(sink.write('x')).toBeUndefined();
    const waiting = sink.write('y'.repeat(300_000));
    expect(waiting).toBeInstanceOf(Promise);
    const turn = new Promise((done) => setImmediate(done, 'still waiting'));
    expect(await Promise.race([waiting, turn])).toBe('still waiting');
    release();
    await new Promise(setImmediate);
    release();
    await waiting;
    expect(Buffer.concat(taken).length).toBe(300_001);
  });

  describe.each([
    ['EPIPE', 'output:closed'],
    ['ERR_STREAM_DESTROYED', 'output:closed'],
    ['ENOSPC', 'output:disk-full'],
  ])('whose stream fails with %s', (cause, code) => {
    const failingSink = () =>
      openOutput('-', {
        stdout: new Writable({
          write(_chunk, _encoding, done) {
            setImmediate(() => done(Object.assign(new Error(cause), { code: cause })));
          },
        }),
      });

    it('fails the write', async () => {
      const sink = failingSink();
      const writing = (async () => {
        for (let n = 0; n < 100; n++) await sink.write('x'.repeat(100_000));
      })();
      await expect(writing).rejects.toMatchObject({ code, exitCode: 1 });
    });

    it('fails the commit at the latest', async () => {
      const sink = failingSink();
      void sink.write('short');
      await expect(sink.commit()).rejects.toMatchObject({ code, exitCode: 1 });
    });
  });

  it('fails if the stream was closed silently', async () => {
    const { stream } = createSlowStream();
    const sink = openOutput('-', { stdout: stream });
    const waiting = sink.write('y'.repeat(300_000));
    stream.destroy();
    await expect(waiting).rejects.toMatchObject({ code: 'output:closed' });
    expect(() => sink.write('z')).toThrow(expect.objectContaining({ code: 'output:closed', exitCode: 1 }));
  });
});
