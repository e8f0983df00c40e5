import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

type Fault = { id: string; finding: string; file: string; find: string; replace: string; tests: string[] }

/** Tests of these run the build, which the fault is not in. */
const runsBuild = /^test\/(?:interop|program)\/|(?:crash|kill|replicas|lock|process)\.test\.ts$/

/** Faults that the program had once, or would have without a line of it; `scripts/planted.mjs` plants them. */
const faults: Fault[] = JSON.parse(readFileSync('test/planted.json', 'utf8'))

test('each fault can still be planted: its text stands once in its file, and its tests exist', () => {
  const stale = faults.filter(
    ({ file, find, replace, tests }) =>
      !existsSync(file) ||
      readFileSync(file, 'utf8').split(find).length !== 2 ||
      find === replace ||
      tests.length === 0 ||
      !tests.every(path => existsSync(path) && !runsBuild.test(path)),
  )
  expect(stale.map(({ id }) => id)).toEqual([])
  expect(new Set(faults.map(({ id }) => id)).size).toBe(faults.length)
})
