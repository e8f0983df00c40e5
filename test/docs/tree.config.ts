import { defineConfig } from 'vitest/config'
import { compiled, compiledSources } from '../../vitest.config.ts'

/** For the tests that a guide names, in a copy of the sources: these are loaded as they are compiled. */
export default defineConfig({
  plugins: [compiledSources],
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/shared.ts'],
    setupFiles: ['test/setup.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    isolate: false,
    maxWorkers: 1,
    ...compiled,
  },
})
