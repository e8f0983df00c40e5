import { createHash } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeSigningKey, openSign } from '../../../../mcp/ports/sign/sign.ts'
import { recordedActionsIn } from '../../../../mcp/services/proof/proofs/action.ts'
import { signProofEvent } from '../../../../mcp/services/proof/proofs/issue.ts'
import type { NostrEvent } from '../../../../mcp/services/proof/proofs/verify/event.ts'
import { commit } from '../../../../mcp/services/proof/proofs/verify/proof.ts'
import { refusalOf, startProof } from '../run.ts'

let proof: Awaited<ReturnType<typeof startProof>>
beforeEach(async () => {
  proof = await startProof()
})
afterEach(() => proof.stop())

const action = {
  kind: 'deploy',
  status: 'succeeded',
  started_at: '2026-01-05T10:00:00Z',
  finished_at: '2026-01-05T10:04:00Z',
  input: { commit: '3f2a1c', flags: ['a', 1, null] },
  output: 'done',
}

const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex')
const hour = 3_600_000

type Verdict = {
  valid: boolean
  refusals: { code: string; message: string }[]
  payload: Record<string, unknown> | null
  ledger_index: number | null
  checks: Record<string, boolean | null>
}
const verify = async (event: unknown, more: object = {}) =>
  (await proof.ask('verify_proof', { event, ...more })) as Verdict
const codes = ({ refusals }: Verdict) => refusals.map(({ code }) => code)

/** Signs an event again with the key of somebody else, or with ours. */
const resign = (event: NostrEvent, sign = openSign(makeSigningKey()), at = new Date()) =>
  signProofEvent({ sign, clock: { now: () => at } }, event)

describe('witness', () => {
  test('keeps the exact bytes, and proves them with a NIP-01 event in the ledger', async () => {
    const body = '  Rain at noon.\r\n\u0000é 😀\u2028'
    const answer = await proof.buy('witness', { source: 'weather.example.org', body })
    const record = await fetch(String(answer.record_url))
    expect(Buffer.from(await record.arrayBuffer())).toEqual(Buffer.from(body))
    expect(record.headers.get('content-disposition')).toMatch(/^attachment/)
    expect(answer.content_hash).toBe(sha256(body))
    const verdict = await verify(answer.event, { expect_artifact_hash: answer.content_hash })
    expect(verdict).toMatchObject({ valid: true, refusals: [], ledger_index: 2 })
    expect(verdict.payload).toMatchObject({
      source: 'declared',
      claimed_source: 'weather.example.org',
      body_hash: answer.content_hash,
    })
    expect(verdict.payload?.source_verification_note).toMatch(/^Self-declared/)
    expect(JSON.stringify(answer.event)).not.toContain('Rain')
  })

  test.each([
    ['half a surrogate pair', { source: 'a', body: 'x\ud800' }],
    ['no body', { source: 'a', body: '' }],
    ['too long a body', { source: 'a', body: 'x'.repeat(16_001) }],
    ['a control character in the source', { source: 'a\u0000', body: 'x' }],
  ])('refuses %s, names the field, and charges nothing', async (_, input) => {
    const refusal = await refusalOf(proof.buy('witness', input))
    expect(refusal.code).toBe('invalid_input')
    expect(JSON.stringify(refusal.extra)).toMatch(/body|source/)
    expect(proof.chain.transfers.size).toBe(0)
  })

  test('the same claim twice is two proofs of one record', async () => {
    const [one, other] = [
      await proof.buy('witness', { source: 'a', body: 'same' }),
      await proof.buy('witness', { source: 'b', body: 'same' }),
    ]
    expect(one.content_hash).toBe(other.content_hash)
    expect(one.proof_id).not.toBe(other.proof_id)
  })

  test('an unknown record is not found', async () => {
    for (const hash of ['0'.repeat(64), 'x', '..%2f..'])
      expect((await fetch(`${proof.url}/record/${hash}`)).status).toBe(404)
  })
})

describe('prove', () => {
  test('publishes metadata and a commitment, never what went in or came out', async () => {
    const answer = await proof.buy('prove', { action_id: 'deploy-2031', agent_id: 'bot', action })
    const event = answer.event as NostrEvent
    expect(event.content).not.toMatch(/3f2a1c|done/)
    const { payload } = await verify(event)
    expect(payload).toMatchObject({ action_id: 'deploy-2031', kind: 'deploy', agent_id: 'bot' })
    const { salt, content } = answer.opening as { salt: string; content: object }
    expect(commit(salt, content)).toBe(payload?.commitment)
    expect(payload?.source_verification_note).toMatch(/^Self-declared/)
    expect([payload?.source, answer.source]).toEqual(['declared', 'declared'])
    expect(await proof.ask('verify_proof', { event })).toMatchObject({ valid: true, source: 'declared' })
  })

  test.each(['run_', 'web_', 'act_'])(
    'refuses to declare an action under an id of the house, %s',
    async prefix => {
      const refusal = await refusalOf(proof.buy('prove', { action_id: `${prefix}deploy-2031`, action }))
      expect(refusal).toMatchObject({ code: 'invalid_input', extra: { issues: [{ path: 'action_id' }] } })
    },
  )

  test('with disclose false only the commitment is public, until it is revealed', async () => {
    const answer = await proof.buy('prove', { action_id: 'secret-1', action, disclose: false })
    const event = answer.event as NostrEvent
    expect(event.content).not.toMatch(/secret-1|deploy|2026-01-05T10/)
    const { proof_id, opening } = answer as { proof_id: string; opening: { salt: string; content: object } }
    expect(await proof.ask('get_proof', { proof_id })).toMatchObject({ reveal: null })
    const wrong = [
      { ...opening, salt: '0'.repeat(64) },
      { ...opening, content: { ...opening.content, output: 'failed' } },
      { ...opening, content: {} },
    ]
    for (const attempt of wrong)
      expect(await refusalOf(proof.ask('reveal_proof', { proof_id, ...attempt }))).toMatchObject({
        code: 'conflict',
        extra: { reason: 'commitment_mismatch' },
      })
    const first = await proof.ask('reveal_proof', { proof_id, ...opening })
    proof.later(hour)
    expect(await proof.ask('reveal_proof', { proof_id, ...opening })).toEqual(first)
    const { reveal } = await proof.ask('get_proof', { proof_id })
    expect(reveal).toMatchObject({ content: opening.content, salt: opening.salt, untrusted: true })
    const { statistics } = (await proof.ask('read_ledger', {})) as { statistics: { by_type: object } }
    expect(statistics.by_type).toMatchObject({ execution: 1, reveal: 1 })
  })

  test('an action of this service is proven from its own record', async () => {
    const { input: _in, output: _out, ...facts } = action
    await recordedActionsIn(proof.store).insert({
      id: 'act_12345678',
      ...facts,
      status: 'succeeded',
      input: '{"code":"1+1"}',
      output: '2',
    })
    const answer = await proof.buy('prove', { action_id: 'act_12345678' })
    expect((await verify(answer.event)).payload?.source_verification_note).toMatch(/^The issuer carried/)
    expect(await proof.ask('verify_proof', { event: answer.event })).toMatchObject({ source: 'observed' })
    expect((answer.opening as { content: object }).content).toMatchObject({
      input: { code: '1+1' },
      output: 2,
    })
  })

  test.each([
    ['an action that nobody knows', { action_id: 'act_unknown' }, 'not_found'],
    [
      'an action that ends before it begins',
      { action_id: 'abcdef', action: { ...action, finished_at: '2025-01-05T10:04:00Z' } },
      'invalid_input',
    ],
    [
      'too large an action',
      { action_id: 'abcdef', action: { ...action, output: 'x'.repeat(64_000) } },
      'too_large',
    ],
    [
      'a text that no store keeps',
      { action_id: 'abcdef', action: { ...action, output: ['\u0000'] } },
      'invalid_input',
    ],
    ['an unknown field', { action_id: 'abcdef', action: { ...action, extra: 1 } }, 'invalid_input'],
    [
      'a time that is none',
      { action_id: 'abcdef', action: { ...action, started_at: 'noon' } },
      'invalid_input',
    ],
  ])('refuses %s before any charge', async (_, input, code) => {
    expect((await refusalOf(proof.buy('prove', input))).code).toBe(code)
    expect(proof.chain.transfers.size).toBe(0)
  })
})

describe('verify_proof refuses', () => {
  let event: NostrEvent
  beforeEach(async () => {
    const answer = await proof.buy('witness', { source: 'a', body: 'claim' })
    event = answer.event as NostrEvent
  })

  test('what was changed after it was signed, each field', async () => {
    const changes: Partial<NostrEvent>[] = [
      { content: event.content.replace('"claimed_source":"a"', '"claimed_source":"b"') },
      { created_at: event.created_at - 1 },
      { tags: [...event.tags, ['t', 'more']] },
      { kind: 1 },
      { id: '0'.repeat(64) },
      { pubkey: (await resign(event)).pubkey },
    ]
    for (const change of changes)
      expect(codes(await verify({ ...event, ...change }))).toContain('id_integrity')
    const sig = (await resign(event)).sig
    expect(codes(await verify({ ...event, sig }))).toEqual(['signature_valid'])
  })

  test('what is signed anew by another key, is from the future, or is not in the ledger', async () => {
    const foreign = await verify(await resign(event))
    expect(codes(foreign)).toEqual(['issued_by_listed_key'])
    expect(foreign.refusals[0]?.message).toMatch(/not among those of the issuer/)
    const future = await verify(await resign(event, proof.sign, new Date(Date.now() + hour)))
    expect(codes(future)).toEqual(['not_from_the_future'])
    expect(codes(await verify(await resign({ ...event, tags: event.tags.slice(1) }, proof.sign)))).toEqual([
      'in_ledger',
    ])
    const earlier = await verify(await resign(event, proof.sign, new Date(Date.now() - hour)))
    expect(codes(earlier)).toEqual(['key_valid_at_the_time'])
  })

  test('what is about something else, or too old', async () => {
    const expect_artifact_hash = '0'.repeat(64)
    expect(codes(await verify(event, { expect_artifact_hash }))).toEqual(['expected_artifact'])
    proof.later(hour)
    expect(codes(await verify(event, { expect_max_age_seconds: 60 }))).toEqual(['young_enough'])
    expect((await verify(event, { expect_max_age_seconds: 7200 })).valid).toBe(true)
  })

  test('what is no event, or cut off, in words that name the field', async () => {
    const messages = await Promise.all(
      [
        {},
        { ...event, id: event.id.toUpperCase() },
        { ...event, sig: event.sig.slice(1) },
        { ...event, created_at: 1.5 },
        { ...event, tags: 'none' },
        { ...event, verified: true },
      ].map(async value => (await verify(value)).refusals[0]?.message),
    )
    expect(messages.map(message => message?.split(':')[0])).toEqual([
      'event.id',
      'event.id',
      'event.sig',
      'event.created_at',
      'event.tags',
      'event.verified',
    ])
    const cut = await refusalOf(verify(JSON.stringify(event).slice(0, -20)))
    expect(cut.message).toMatch(/cut off/)
    const both = await refusalOf(proof.ask('verify_proof', { event, proof_id: event.id }))
    expect(both.code).toBe('invalid_input')
    expect((await refusalOf(proof.ask('verify_proof', {}))).code).toBe('invalid_input')
    let deep: unknown = 'x'
    for (let n = 0; n < 20_000; n++) deep = [deep]
    const nested = await verify({ ...event, content: deep }).catch(error => error)
    expect(nested.code ?? nested.refusals[0].code).toMatch(
      /^(invalid_input|malformed|too_large|not_an_event)$/,
    )
  })

  test('and takes the event, its JSON text, its file and its id alike', async () => {
    const bundle = await proof.ask('get_proof', { proof_id: event.id })
    for (const value of [event, JSON.stringify(event), bundle, JSON.stringify(bundle)])
      expect(await verify(value)).toMatchObject({ valid: true, ledger_index: 2 })
    expect(await proof.ask('verify_proof', { proof_id: event.id })).toMatchObject({ valid: true })
  })
})

test('a proof stays valid when the key is changed, and the old key signs nothing more that is', async () => {
  const answer = await proof.buy('witness', { source: 'a', body: 'old' })
  const event = answer.event as NostrEvent
  proof.later(hour)
  const next = await startProof({ store: proof.store, ahead: hour })
  const verifyThere = async (value: unknown) => (await next.ask('verify_proof', { event: value })) as Verdict
  expect((await verifyThere(event)).valid).toBe(true)
  const later = await resign(event, proof.sign, new Date(Date.now() + hour - 30_000))
  expect(codes(await verifyThere(later))).toEqual(['in_ledger'])
  proof.later(hour)
  next.later(hour)
  const tooLate = await resign(event, proof.sign, new Date(Date.now() + 2 * hour))
  expect(codes(await verifyThere(tooLate))).toEqual(['key_valid_at_the_time'])
  // The replica with the old key refuses to sign, and says what to do.
  const refusal = await refusalOf(proof.buy('witness', { source: 'a', body: 'new' }))
  expect(refusal.message).toMatch(/was replaced/)
  await next.stop()
})
