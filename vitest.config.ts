import { existsSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { defineConfig } from 'vitest/config'

const judged = ['test/interop/**/*.test.ts']

/** Tests that start or kill programs, or measure or change their own process: a process for each file. */
const ownProcess = [
  'test/program/**/*.test.ts',
  'test/**/*{crash,kill,replicas,lock,own-dispatcher,process}.test.ts',
  'test/ports/fetch-hostile.test.ts',
  'test/services/data/tech-detect-catalogue.test.ts',
]

const root = import.meta.dirname

/**
 * Resolves an import of a source to the compiled file below `dist/`, which Node loads itself: a process for each file would
 * otherwise evaluate some 1,800 modules through the test runner.
 */
export const compiledSources = {
  name: 'compiled-sources',
  enforce: 'pre' as const,
  resolveId(source: string, importer?: string) {
    if (!importer || !source.startsWith('.') || !source.endsWith('.ts')) return
    const path = relative(root, resolve(dirname(importer), source))
    if (/^(\.\.|test\/|bench\/)/.test(path)) return
    const compiled = resolve(root, 'dist', path.replace(/\.ts$/, '.js'))
    return existsSync(compiled) ? { id: compiled, external: true } : undefined
  },
}

/** Node loads them: the test runner does not even look at them. */
export const compiled = { server: { deps: { external: [/\/dist\/.*\.js$/] } } }

/** One after the other, so that each thread or process is kept from file to file. */
const project = (groupOrder: number, name: string, include: string[], exclude: string[]) => ({
  name,
  include,
  exclude: ['**/node_modules/**', ...exclude],
  sequence: { groupOrder },
  // Limits for what hangs; a busy machine may be slow.
  setupFiles: ['test/setup.ts'],
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 60_000 } },
})

export default defineConfig({
  test: {
    globalSetup: ['test/shared.ts'],
    reporters: ['default', './scripts/prepare-tests.mjs'],
    maxWorkers: 2,
    projects: [
      {
        test: {
          ...project(0, 'unit', ['test/**/*.test.ts'], [...judged, ...ownProcess]),
          pool: 'threads',
          isolate: false,
          // A third one works while the others wait for the disk, PostgreSQL or a chain.
          maxWorkers: 3,
        },
      },
      {
        plugins: [compiledSources],
        test: { ...project(1, 'interop', judged, []), ...compiled, pool: 'forks', isolate: false },
      },
      // A third one works while the others wait for programs that start, end, or are given their time.
      {
        plugins: [compiledSources],
        test: { ...project(2, 'process', ownProcess, []), ...compiled, pool: 'forks', maxWorkers: 3 },
      },
    ],
  },
})
