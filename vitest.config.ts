import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/support/fixed-seed.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    env: { NO_COLOR: '1' },
  },
});
