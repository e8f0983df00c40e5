// A reporter that, before each run, builds and installs what the chosen test files need and nothing else.
import { spawnSync } from 'node:child_process'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { reach } from './imports.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

/** What runs compiled code: the pool of workers, and tests that start the program or name a file below `dist/`. */
const usesBuild = ([path, text]) =>
  /^mcp\/ports\/workers\//.test(path) || /\bdist\/(?:main\.js|mcp\/|\$\{)/.test(text)

/**
 * The arguments of `setup.mjs` for these test files: '--install' alone where nothing is to be built. `isCompiled` says that some
 * of them import the sources as they are below `dist/`.
 */
export const needsOf = (files, isCompiled = false) => {
  const needs = []
  const reached = reach(files)
  if (!isCompiled && ![...reached].some(usesBuild)) needs.push('--install')
  if (reached.has('test/store/compiled.ts')) needs.push('--programs')
  if (['test/packed.ts', 'test/docs/tree.ts'].some(path => reached.has(path))) needs.push('--types')
  if (files.some(file => file.startsWith('test/interop/'))) needs.push('--interop')
  return needs
}

export default class PrepareTests {
  onTestRunStart(specifications) {
    const isCompiled = specifications.some(({ project }) => project.name !== 'unit')
    const needs = needsOf(
      specifications.map(({ moduleId }) => relative(root, moduleId)),
      isCompiled,
    )
    if (needs.join() === '--install') return
    const { status } = spawnSync(process.execPath, ['scripts/setup.mjs', ...needs], {
      cwd: root,
      stdio: ['ignore', 2, 2],
    })
    if (status !== 0) throw new Error('what the tests need could not be built')
  }
}
