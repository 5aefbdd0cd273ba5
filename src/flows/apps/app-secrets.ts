/** The file of `--app-secrets`: one line of JSON an application, with the secret that the service gave it. */
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { IdportError } from '../../errors.ts';
import { isObject, tryParseJson } from '../../lib/json-value.ts';

export interface AppLine {
  /** The name of the application, which is the client id at the source. */
  readonly oldClientId: string;
  readonly organization: string;
  readonly project: string;
  readonly appId: string;
  readonly clientId: string;
  /** Absent where it needs none. */
  readonly clientSecret?: string;
}

export interface AppSecrets {
  has(appId: string): boolean;
  /** On the disk when it returns. Throws `IdportError`. */
  add(line: AppLine): void;
  close(): void;
}

/** 0600. Lines of previous runs stay; one that was cut off is removed. Throws `IdportError`. */
export function openAppSecrets(path: string): AppSecrets {
  return guarded(path, () => {
    const file = openSync(path, 'a+', 0o600);
    fchmodSync(file, 0o600);
    const text = readFileSync(file, 'utf8');
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    if (whole !== text) ftruncateSync(file, Buffer.byteLength(whole));
    const known = new Set(whole.split('\n').map(appIdOf));
    return {
      has: (appId) => known.has(appId),
      add(line) {
        guarded(path, () => {
          writeFileSync(file, `${JSON.stringify(line)}\n`);
          fsyncSync(file);
        });
        known.add(line.appId);
      },
      close: () => closeSync(file),
    };
  });
}

function appIdOf(line: string): unknown {
  const value = tryParseJson(line);
  return isObject(value) ? value['appId'] : undefined;
}

function guarded<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw new IdportError('output:unwritable', `${path} cannot be written: ${(error as Error).message}`, {
      hint: 'It takes the secrets of new applications: name a file in a folder that you can write to.',
      cause: error,
    });
  }
}
