import { readdirSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that replace modules or timers: any other file would get theirs, so each has a process of its own. */
const alone = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .map((file) => `test/${file}`)
  .filter((file) => /(?<!\.slow)\.test\.ts$/.test(file))
  .filter((file) => /\bvi\.(?:mock|useFakeTimers)\(/.test(readFileSync(file, 'utf8')));

/** Kills, delivery, the browser, typed pages, long properties: `npm run test:slow`. */
const slow = ['test/**/*.slow.test.ts'];

/** Vitest begins with the longest file, which it knows after a run only: this one starts three databases and Keycloaks. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const isLongest = ({ moduleId }: TestSpecification) => moduleId.endsWith('live/keycloak.slow.test.ts');
    return (await super.sort(files)).toSorted((a, b) => Number(isLongest(b)) - Number(isLongest(a)));
  }
}

const common = {
  setupFiles: ['test/support/fixed-seed.ts', 'test/support/patterns.ts'],
  // Against hanging alone: how fast something is belongs to the bench.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  env: { NO_COLOR: '1' },
};

export default defineConfig({
  test: {
    globalSetup: ['test/support/built-program.ts'],
    // Many tests start programs and wait for them: a core less for tests would stand idle.
    maxWorkers: '100%',
    sequence: { sequencer: LongestFirst },
    projects: [
      // One process runs many files: each loads only what no file before it has loaded.
      {
        test: {
          ...common,
          name: 'shared',
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: [...alone, ...slow],
        },
      },
      { test: { ...common, name: 'alone', include: alone } },
      { test: { ...common, name: 'slow', include: slow } },
    ],
    // Of this process alone: what threads and started programs run is not counted.
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      reporter: ['text-summary', 'json-summary'],
      reportOnFailure: true,
    },
  },
});
