import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { forge, runForge } from '../../scripts/forge.mjs'
import { isStress } from '../stress.ts'
import { solidityFiles } from './solidity.ts'

const canRun = forge() !== undefined
if (!canRun && process.env.CI) throw new Error('forge was not found')
if (!canRun) console.warn('\n!!! THE TESTS OF THE CONTRACTS ARE SKIPPED: forge was not found\n')

const seed = process.env.FORGE_SEED ?? `0x${randomBytes(8).toString('hex')}`

/** With STRESS=1 another walk each time; `FORGE_SEED` repeats one. */
const walk = isStress ? { FOUNDRY_PROFILE: 'stress', FOUNDRY_FUZZ_SEED: seed } : {}

const countTests = (file: string): number =>
  (readFileSync(file, 'utf8').match(/^ {4}function (test|invariant)\w*\(/gm) ?? []).length

test.skipIf(!canRun)(
  'the contracts pass their own tests, and use the gas that is on record',
  async () => {
    const { status, output } = await runForge(['test'], walk)
    expect(status, `${isStress ? `FORGE_SEED=${seed}\n` : ''}${output}`).toBe(0)
    const [, passed] = /: (\d+) tests passed, 0 failed, 0 skipped/.exec(output) ?? []
    const written = solidityFiles('.t.sol').reduce((sum, file) => sum + countTests(file), 0)
    expect(Number(passed)).toBe(written)
  },
  isStress ? 3 * 3_600_000 : 600_000,
)
