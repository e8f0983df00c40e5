import { defineConfig } from 'vitest/config'

const judged = ['test/interop/**/*.test.ts']

/** What starts or kills programs, or measures or changes its own process: a process for each file. */
const ownProcess = [
  'test/program/**/*.test.ts',
  'test/**/*{crash,kill,replicas,lock,own-dispatcher,process}.test.ts',
  'test/ports/fetch-hostile.test.ts',
  'test/services/data/tech-detect-catalogue.test.ts',
]

/** One after the other, so that each thread or process is kept from file to file. */
const project = (groupOrder: number, name: string, include: string[], exclude: string[]) => ({
  name,
  include,
  exclude: ['**/node_modules/**', ...exclude],
  sequence: { groupOrder },
  // Limits for what hangs; a busy machine may be slow.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 60_000 } },
})

export default defineConfig({
  test: {
    globalSetup: ['test/postgres.ts'],
    reporters: ['default', './scripts/prepare-tests.mjs'],
    maxWorkers: 2,
    projects: [
      {
        test: {
          ...project(0, 'unit', ['test/**/*.test.ts'], [...judged, ...ownProcess]),
          pool: 'threads',
          isolate: false,
        },
      },
      { test: { ...project(1, 'interop', judged, []), pool: 'forks', isolate: false } },
      // A third one works while the others wait for programs that start, end, or are given their time.
      { test: { ...project(2, 'process', ownProcess, []), pool: 'forks', maxWorkers: 3 } },
    ],
  },
})
