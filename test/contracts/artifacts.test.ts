import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { solidityFiles } from './solidity.ts'

const run = promisify(execFile)

test('every committed artifact is what its source compiles to', async () => {
  const { stderr } = await run(process.execPath, ['scripts/contracts.mjs', '--check'], { timeout: 300_000 })
  expect(stderr).toBe('')
})

/** A source and all that it imports, in this repository and in packages. */
const withImports = (file: string, reached = new Set<string>()): Set<string> => {
  if (reached.has(file)) return reached
  reached.add(file)
  for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(/^import [^;"]*"([^"]+)"/gm)) {
    withImports(path.startsWith('.') ? join(dirname(file), path) : `node_modules/${path}`, reached)
  }
  return reached
}

test('all Solidity that is compiled, ours and of packages, is under the MIT licence', () => {
  const reached = new Set(solidityFiles('.sol').flatMap(file => [...withImports(file)]))
  expect(reached.size).toBeGreaterThan(25)
  const others = [...reached].filter(
    file => !readFileSync(file, 'utf8').includes('SPDX-License-Identifier: MIT\n'),
  )
  expect(others).toEqual([])
})

test('each contract that is deployed for users has its page', () => {
  const deployed = solidityFiles('.sol').filter(
    file => !/\/(test|Test)/.test(file) && /^contract /m.test(readFileSync(file, 'utf8')),
  )
  expect(deployed.length).toBeGreaterThan(0)
  const page = (file: string) => {
    const name = file.replace(/.*\/|\.sol$/g, '').replace(/\B([A-Z])/g, '-$1')
    return `docs/contracts/${name.toLowerCase()}.md`
  }
  expect(deployed.map(page).filter(path => !existsSync(path))).toEqual([])
})
