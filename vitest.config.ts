import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/built-program.ts'],
    setupFiles: ['test/support/fixed-seed.ts'],
    // Many tests start programs and wait for them: a core less for tests would stand idle.
    maxWorkers: '100%',
    // Against hanging alone: how fast something is belongs to the bench.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    env: { NO_COLOR: '1' },
    // Of this process alone: what threads and started programs run is not counted.
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      reporter: ['text-summary', 'json-summary'],
      reportOnFailure: true,
    },
  },
});
