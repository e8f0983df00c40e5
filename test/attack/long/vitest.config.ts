import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    globalSetup: ['test/shared.ts'],
    include: ['test/attack/long/*.attack.ts'],
    testTimeout: 3_600_000,
    hookTimeout: 300_000,
    pool: 'forks',
    maxWorkers: 1,
    disableConsoleIntercept: true,
  },
})
