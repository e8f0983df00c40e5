import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openSandboxes } from '../../../../mcp/ports/sandbox/open.ts'
import { proofSettings } from '../../../../mcp/services/proof/config.ts'
import { hasBubblewrap, packages, python } from '../../../ports/sandbox/run.ts'
import { refusalOf, startProof } from '../run.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

type Proof = Awaited<ReturnType<typeof startProof>>

const start = (file = python): Promise<Proof> =>
  startProof({
    ports: { sandboxes: openSandboxes({ python: file, packages, concurrency: 2 }) },
    settings: [[proofSettings.enterpriseCallers, []]],
  })

describe.skipIf(!hasBubblewrap)('execute', () => {
  let proof: Proof
  beforeAll(async () => {
    proof = await start()
  })
  afterAll(() => proof.stop())

  test('runs code for its price, says what held it, and its audit hash recomputes', async () => {
    const code = 'print(sum(n * n for n in range(10)))'
    const answer = await proof.buy('execute', { code })
    expect(answer).toMatchObject({
      status: 'ok',
      stdout: '285\n',
      stderr: '',
      exit_code: 0,
      truncated: false,
      runner: 'bubblewrap',
      limits: { timeout_ms: 60_000, memory_mb: 1024 },
      // What was signed is exact: nothing comes back.
      usage: { cap_sats: 700, returned_sats: 0 },
    })
    const usage = answer.usage as Record<string, number>
    expect(usage.price_sats).toBeLessThan(50)
    expect(usage.cpu_seconds).toBeGreaterThan(0)
    expect(usage.memory_mb).toBeGreaterThan(1)
    const audit = answer.audit as Record<string, unknown>
    expect(audit).toMatchObject({ code_sha256: sha256(code), stdout_sha256: sha256('285\n'), tier: 1 })
    expect(answer.audit_hash).toBe(sha256(canonicalize(audit) ?? ''))
    // What was run can be proven afterwards.
    const proven = await proof.buy('prove', { action_id: answer.action_id })
    expect(proven).toMatchObject({ opening: { content: { kind: 'execute', status: 'succeeded' } } })
  })

  test.each([
    [
      { code: 'while True: pass', timeout_seconds: 0.5 },
      { status: 'timeout', exit_code: null, signal: 'SIGKILL' },
    ],
    [{ code: 'while True: print("x" * 1000)' }, { status: 'output_limit', truncated: true }],
    [{ code: 'raise SystemExit(3)' }, { status: 'error', exit_code: 3 }],
    [{ code: 'x = []\nwhile True: x.append(bytearray(10**7))', tier: 0 }, { status: 'memory_limit' }],
    [{ code: 'exec("import soc" + "ket")' }, { status: 'policy_violation' }],
    [
      { code: 'import socket; print(1)', permissive: true },
      { status: 'ok', stdout: '1\n' },
    ],
    [
      { code: 'print(input())', stdin: 'ä\n' },
      { status: 'ok', stdout: 'ä\n' },
    ],
  ])('%j ends as %j', async (input, expected) => {
    expect(await proof.buy('execute', input)).toMatchObject(expected)
  })

  test.each([
    [{ code: '' }, 'code'],
    [{ code: 'x'.repeat(6001) }, 'code'],
    [{ code: 'print(1)\0' }, 'code'],
    [{ code: 'print(1)', language: 'ruby' }, 'language'],
    [{ code: 'print(1)', tier: 4 }, 'tier'],
    [{ code: 'print(1)', timeout_seconds: 0.1 }, 'timeout_seconds'],
    [{ code: 'print(1)', timeout_seconds: 601 }, 'timeout_seconds'],
    [{ code: 'print(1)', stdin: 'x'.repeat(20_001) }, 'stdin'],
    [{ code: 'import os' }, 'code'],
  ])('%j is refused before any charge', async (input, path) => {
    const before = proof.chain.debits()
    expect(await refusalOf(proof.buy('execute', input))).toMatchObject({
      code: 'invalid_input',
      extra: { issues: [expect.objectContaining({ path })] },
    })
    expect(proof.chain.debits()).toBe(before)
  })

  test('tier 3 has to be granted', async () => {
    expect(await refusalOf(proof.buy('execute', { code: 'print(1)', tier: 3 }))).toMatchObject({
      code: 'forbidden',
    })
  })

  test('says what runs here', async () => {
    expect(await proof.ask('execution_status', {})).toMatchObject({
      available: true,
      runner: 'bubblewrap',
      modes: ['restrictive', 'permissive'],
      modules: expect.arrayContaining(['math']),
      tiers: [{ price_sats: 700 }, {}, { price_sats: 2800, price_permissive_sats: 8400 }, {}],
    })
  })
})

test('where no sandbox works, nothing is run and nothing charged', async () => {
  const proof = await start('/usr/bin/absent')
  const before = proof.chain.debits()
  expect(await refusalOf(proof.buy('execute', { code: 'print(1)' }))).toMatchObject({
    code: 'unavailable',
    extra: { reason: 'execution_unavailable' },
  })
  expect(proof.chain.debits()).toBe(before)
  expect(await proof.ask('execution_status', {})).toMatchObject({
    available: false,
    reason: expect.stringContaining('Tried: bubblewrap'),
    runner: null,
  })
  await proof.stop()
})
