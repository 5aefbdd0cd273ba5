import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs, {
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { outOfDate, renewEvery, takeLock, type LockOptions } from '../../src/lib/lock.ts';
import { createFakeClock } from '../support/clock.ts';
import { canSeparate, separate } from '../support/process.ts';
import { createTestFolder, elsewhere, ended, writeLock, writeLockText } from '../support/folder.ts';

let path: string;
beforeEach(() => {
  path = join(createTestFolder(), 'x.lock');
});

function take(options: LockOptions = {}) {
  const attempt = takeLock(path, options);
  if (!attempt.taken) throw new Error(`held by ${attempt.holder.process?.pid}`);
  return attempt.lock;
}

const files = () => readdirSync(dirname(path));

describe('a lock', () => {
  it('names its process, is private, and is removed on release', () => {
    const lock = take();
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ pid: process.pid });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(files()).toEqual(['x.lock']);
    lock.release();
    lock.release();
    expect(files()).toEqual([]);
  });

  it('is held once, even within one process', () => {
    const lock = take();
    expect(takeLock(path)).toMatchObject({ taken: false, holder: { isHere: true } });
    expect(takeLock(path, { steal: true }).taken).toBe(false);
    lock.release();
    take().release();
  });

  it('is renewed every 30 seconds until its release', async () => {
    const clock = createFakeClock();
    const lock = take({ clock });
    const longAgo = 1000;
    for (let round = 0; round < 3; round++) {
      utimesSync(path, longAgo, longAgo);
      await clock.advance(renewEvery - 1);
      expect(statSync(path).mtimeMs).toBe(longAgo * 1000);
      await clock.advance(1);
      expect(statSync(path).mtimeMs).toBeGreaterThan(longAgo * 1000);
    }
    lock.release();
    await clock.advance(renewEvery);
    expect(files()).toEqual([]);
  });

  it('that another process took over is not removed by its release', () => {
    const lock = take();
    rmSync(path);
    expect(lock.isHeld()).toBe(false);
    writeLock(path, elsewhere);
    expect(lock.isHeld()).toBe(false);
    lock.release();
    expect(files()).toEqual(['x.lock']);
  });

  it('is taken with a second draft if the holder removed the first', () => {
    const { linkSync } = fs;
    let links = 0;
    fs.linkSync = (draft, to) => {
      links += 1;
      if (links === 1) rmSync(draft);
      linkSync(draft, to);
    };
    onTestFinished(() => {
      Object.assign(fs, { linkSync });
      syncBuiltinESMExports();
    });
    syncBuiltinESMExports();
    const lock = take();
    expect(links).toBe(2);
    expect(lock.isHeld()).toBe(true);
    expect(files()).toEqual(['x.lock']);
  });

  it('at a dangling link is refused', () => {
    symlinkSync('nowhere', path);
    expect(() => takeLock(path)).toThrow('changes all the time');
    expect(files()).toEqual(['x.lock']);
  });
});

describe('a lock left behind', () => {
  it.each<[string, () => void]>([
    ['of a process that is gone', () => writeLock(path, ended)],
    ['of an earlier process with our number', () => writeLock(path, { started: '1' })],
    [
      'of an earlier process with the number of another',
      () => writeLock(path, { pid: process.ppid, started: '1' }),
    ],
    ['of no process', () => writeLock(path, { pid: -1 })],
  ])('%s is taken over at once without a notice', (_, leave) => {
    leave();
    expect(take().takenFrom).toBeUndefined();
    expect(files()).toEqual(['x.lock']);
  });

  it.each<[string, (age: number) => void]>([
    ['of another machine', (age) => writeLock(path, { ...elsewhere, namespace: 'pid:[4026531836]' }, age)],
    ['of another container', (age) => writeLock(path, { namespace: 'pid:[1]', pid: process.pid }, age)],
    ['of this machine before its last start', (age) => writeLock(path, { boot: 'other', ...ended }, age)],
    ['of an earlier version', (age) => writeLockText(path, '999999999\n', age)],
    ['that a full disk has cut short', (age) => writeLockText(path, '{"host":"a","pid":1', age)],
    ['that is empty', (age) => writeLockText(path, '', age)],
    ['that is something else', (age) => writeLockText(path, '[]', age)],
    [
      'without an id',
      (age) => writeLockText(path, '{"host":"","boot":"","namespace":"","pid":1,"started":""}', age),
    ],
  ])('%s holds until it was not renewed for five minutes or is stolen', (_, leave) => {
    leave(outOfDate - 2000);
    expect(takeLock(path)).toMatchObject({ taken: false, holder: { isHere: false } });
    expect(files()).toEqual(['x.lock']);
    const stolen = take({ steal: true });
    expect(stolen.takenFrom?.age).toBeGreaterThan(outOfDate - 5000);
    stolen.release();
    leave(outOfDate + 2000);
    const lock = take();
    expect(lock.takenFrom?.isHere).toBe(false);
    expect(lock.isHeld()).toBe(true);
    expect(files()).toEqual(['x.lock']);
  });

  it('is removed with claim and draft of a process killed during takeover', () => {
    const { id } = leaveLock();
    writeLock(`${path}.${id}`, ended);
    writeLock(join(dirname(path), '.x.lock.abcdefghijkl.tmp'), ended);
    writeLock(join(dirname(path), '.x.lock.mnopqrstuvwx.tmp'), elsewhere);
    writeLockText(join(dirname(path), '.x.lock.empty_______.tmp'), '');
    writeLockText(join(dirname(path), '.x.lock.short_______.tmp'), '{"host":"a","pid":1');
    take().release();
    expect(files()).toEqual([]);
  });

  it('keeps the claim of a process that may still take it over', () => {
    const [here, away] = [`${path}.here________`, `${path}.elsewhere___`];
    writeLock(here, {});
    writeLock(away, elsewhere);
    take().release();
    expect(files()).toEqual([basename(away), basename(here)]);
  });

  it('is not taken while another process takes it', () => {
    const { id } = leaveLock();
    writeLock(`${path}.${id}`, elsewhere);
    expect(takeLock(path, { steal: true }).taken).toBe(false);
  });

  function leaveLock() {
    writeLock(path, ended);
    return JSON.parse(readFileSync(path, 'utf8')) as { id: string };
  }
});

const hasProc = existsSync('/proc/self/stat');

it.skipIf(!hasProc)(
  'a lock of a dead process without a waiting parent holds nothing (needs /proc)',
  async () => {
    // The shell becomes a program that waits for no child.
    const script = `"$1" -e 'console.log(process.pid)' & exec sleep 60`;
    const child = spawn('sh', ['-c', script, 'sh', process.execPath], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    try {
      const [output] = (await once(child.stdout, 'data')) as [Buffer];
      const pid = Number(String(output));
      const stat = () => readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ');
      while (stat()[2] !== 'Z') await new Promise(setImmediate);
      writeLock(path, { pid, started: stat()[21] ?? '' });
      expect(takeLock(path).taken).toBe(true);
    } finally {
      child.kill();
    }
  },
);

const starter = fileURLToPath(new URL('../support/lock-starter.ts', import.meta.url));

const start = () => talkTo(fork(starter, { execArgv: ['--import', import.meta.resolve('tsx')] }));

function talkTo(child: ChildProcess) {
  return {
    process: child,
    send: (message: object) =>
      new Promise((resolve) => {
        child.once('message', resolve);
        child.send(message);
      }),
  };
}

it.each<[string, () => void]>([
  ['without a lock', () => {}],
  ['with the lock of a process that is gone', () => writeLock(path, ended)],
  ['with a lock that is out of date', () => writeLock(path, elsewhere, outOfDate + 1000)],
  ['with a lock that cannot be read', () => writeLockText(path, '', outOfDate + 1000)],
])(
  'a lock is held by one of many processes that start at once, %s',
  async (_, leave) => {
    const starters = Array.from({ length: 5 }, start);
    try {
      // The first message is answered when all of them run.
      await Promise.all(starters.map(({ send }) => send({ at: 0 })));
      for (let round = 0; round < 25; round++) {
        leave();
        const at = Date.now() + 4;
        const taken = await Promise.all(starters.map(({ send }) => send({ path, at })));
        expect(taken.filter((is) => is === true)).toHaveLength(1);
        await Promise.all(starters.map(({ send }) => send({ at: 0 })));
        expect(files()).toEqual([]);
      }
    } finally {
      for (const { process: child } of starters) child.kill();
    }
  },
  60_000,
);

describe.skipIf(!canSeparate())('a lock in two containers (needs PID namespaces)', () => {
  it('is held although both processes have the id 1', async () => {
    const first = contain();
    const second = contain();
    try {
      await Promise.all([first.send({ at: 0 }), second.send({ at: 0 })]);
      expect([await first.send({ path, at: 0 }), await second.send({ path, at: 0 })]).toEqual([true, false]);
      expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ pid: 1 });
      await first.send({ at: 0 });
      expect(await second.send({ path, at: 0 })).toBe(true);
    } finally {
      first.process.kill('SIGKILL');
      second.process.kill('SIGKILL');
    }
  });

  function contain() {
    const [command = '', ...flags] = separate;
    const program = [process.execPath, '--import', import.meta.resolve('tsx'), starter];
    const child = spawn(command, [...flags, ...program], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    return talkTo(child);
  }
});
