import { defineConfig } from 'vitest/config'

/** What starts or kills programs, talks to the judges, or measures and changes its own process: a process for each file. */
const ownProcess = [
  'test/interop/**/*.test.ts',
  'test/program/**/*.test.ts',
  'test/**/*{crash,kill,replicas,lock,own-dispatcher,process}.test.ts',
  'test/ports/fetch-hostile.test.ts',
  'test/services/data/tech-detect-catalogue.test.ts',
]

export default defineConfig({
  test: {
    globalSetup: ['test/postgres.ts'],
    reporters: ['default', './scripts/prepare-tests.mjs'],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...ownProcess],
          pool: 'threads',
          isolate: false,
          globalSetup: [],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'process',
          include: ownProcess,
          exclude: ['**/node_modules/**'],
          pool: 'forks',
          sequence: { groupOrder: 1 },
          globalSetup: [],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
    ],
    maxWorkers: 2,
  },
})
