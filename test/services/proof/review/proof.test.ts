import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OwnNeed } from '../../../../mcp/kernel/need.ts'
import { checkProof } from '../../../../mcp/services/proof/proofs/verify/proof.ts'
import { reviewSettings } from '../../../../mcp/services/proof/review/config.ts'
import { refusalOf, startProof } from '../verdict-run.ts'

const me = '0x1111111111111111111111111111111111111111'
const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const unlimitedApprove = `0x095ea7b3${'2'.repeat(40).padStart(64, '0')}${'f'.repeat(64)}`
const bad = '0x00000000000000000000000000000000000000bd'

let proof: Awaited<ReturnType<typeof startProof>>
beforeAll(async () => {
  const own = new Map<OwnNeed, unknown>([[reviewSettings.knownBad, [{ address: bad, reason: 'drainer' }]]])
  proof = await startProof({}, own)
})
afterAll(() => proof.stop())

const review = (input: object, client = 'one') => proof.ask('review', input, { client })
const onchain = (input: object, client = 'one') =>
  proof.ask('review_onchain', { read_chain: false, ...input }, { client })

type Signed = { proof_id: string; event: { content: string }; leaf_hash: string; content_sha256: string }

const now = () => Math.floor(Date.now() / 1000)

describe('the proof of a verdict', () => {
  test('is a signed event over the decision, and stands in the ledger', async () => {
    const answer = await review({ artifact: 'rm -rf /', artifact_type: 'shell_command' })
    const { event, leaf_hash, content_sha256, proof_id } = answer.proof as Signed
    const verdict = checkProof(event, { now: now(), keys: proof.log.keys() })
    expect(verdict).toMatchObject({ valid: true, checks: { decision_ref_recomputes: true } })
    expect(verdict.payload).toMatchObject({
      schema: 'octagent.verdict_proof.v1',
      verdict: 'reject',
      decision_ref: answer.decision_ref,
      artifact_hash: createHash('sha256').update('rm -rf /').digest('hex'),
    })
    expect(content_sha256).toBe(createHash('sha256').update(event.content).digest('hex'))
    const index = await proof.log.find(leaf_hash)
    const leaf = JSON.parse((await proof.log.leaf(index ?? -1)) ?? '') as object
    expect(leaf).toMatchObject({
      type: 'verdict',
      verdict: 'reject',
      decision_ref: answer.decision_ref,
      event_id: proof_id,
    })
    expect(await proof.ask('verify_proof', { proof_id })).toMatchObject({ valid: true })
    expect(await proof.ask('read_ledger', {})).toMatchObject({ statistics: { verdicts: { reject: 1 } } })
  })

  test('makes public what the caller lets it: nothing of the artifact by default', async () => {
    const artifact = 'echo secret-project-name'
    const content = async (more: object) =>
      ((await review({ artifact, ...more })).proof as Signed).event.content
    expect(await content({ disclosed_summary: 'a harmless echo' })).not.toContain('echo')
    const partial = await content({
      confidentiality_tier: 'partial_disclosure',
      disclosed_summary: 'a harmless echo',
    })
    expect(partial).toContain('a harmless echo')
    expect(partial).not.toContain('secret-project-name')
    expect(await content({ confidentiality_tier: 'full_disclosure' })).toContain('secret-project-name')
  })

  test('is not made on request, nor in a dry run, which remembers nothing either', async () => {
    const size = proof.log.size()
    expect(await review({ artifact: 'ls', sign: false })).toMatchObject({ proof: null, verdict: 'approve' })
    const dry = { artifact: 'ls', dry_run: true, operation_id: 'dry-1' }
    expect(await review(dry)).toMatchObject({ proof: null })
    expect(await review({ ...dry, artifact: 'rm -rf /' })).toMatchObject({ verdict: 'reject' })
    await proof.log.sync()
    expect(proof.log.size()).toBe(size)
  })

  test('of one operation is one: two at once, and again, enter one leaf', async () => {
    await proof.log.sync()
    const size = proof.log.size()
    const input = { artifact: 'git push', artifact_type: 'shell_command', operation_id: 'one-leaf' }
    const [first, second] = await Promise.all([review(input), review(input)])
    expect((second as { proof: Signed }).proof.proof_id).toBe((first as { proof: Signed }).proof.proof_id)
    await review(input)
    await proof.log.sync()
    expect(proof.log.size()).toBe(size + 1)
    expect(await refusalOf(review({ ...input, artifact_source: { repo: 'other' } }))).toMatchObject({
      code: 'conflict',
    })
  })

  test('every field that the decision holds for is part of it', async () => {
    const fields = {
      artifact_source: { repo: 'acme/app', base_sha: 'abc', head_sha: 'def' },
      external_evidence: [{ source: 'scanner.example', note: 'clean' }],
      related_proof_event: 'ab'.repeat(32),
      action_binding: { tool: 'deploy', agent_id: 'bot', args: { env: 'prod' } },
      intended_verifier: 'eip155:8453:0x1111111111111111111111111111111111111111',
    }
    const answer = await review({ artifact: 'ls', ...fields })
    const hash = (value: unknown) =>
      createHash('sha256')
        .update(canonicalize(value) ?? '')
        .digest('hex')
    expect(answer.decision_inputs).toMatchObject({
      artifact_source_hash: hash(fields.artifact_source),
      external_evidence_hash: hash(fields.external_evidence),
      related_proof_event: fields.related_proof_event,
      action_binding_hash: hash(fields.action_binding),
      intended_verifier: fields.intended_verifier,
    })
    expect(answer.decision_ref).toBe(hash(answer.decision_inputs))
  })

  test.each<[string, object, string]>([
    ['half a surrogate pair', { artifact: 'echo \ud800' }, 'artifact'],
    ['a control character in a name', { artifact: 'ls', intended_audience: 'a\u0000b' }, 'intended_audience'],
    [
      'a source that is not known',
      { artifact: 'ls', artifact_source: { repository: 'x' } },
      'artifact_source',
    ],
    ['a proof id that is none', { artifact: 'ls', related_proof_event: 'AB' }, 'related_proof_event'],
    ['another tier', { artifact: 'ls', confidentiality_tier: 'open' }, 'confidentiality_tier'],
    ['too long a summary', { artifact: 'ls', disclosed_summary: 'a'.repeat(2001) }, 'disclosed_summary'],
  ])('%s is refused', async (_, input, path) => {
    const { code, message, paths } = await refusalOf(review(input))
    expect(code).toBe('invalid_input')
    expect(`${paths} ${message}`).toContain(path)
  })

  test('arguments of more than 8 KB are refused', async () => {
    const action_binding = { tool: 'x', args: { text: 'a'.repeat(9000) } }
    expect(await refusalOf(review({ artifact: 'ls', action_binding }))).toMatchObject({ code: 'too_large' })
  })
})

describe('an on-chain action', () => {
  const approve = { from: me, chain_id: 8453, transaction: { to: usdc, data: unlimitedApprove } }

  test('is decoded, judged and signed', async () => {
    const answer = await onchain(approve)
    expect(answer).toMatchObject({
      verdict: 'reject',
      policy_version: 'onchain-rules-1',
      read_as: ['transaction'],
      epistemic_basis: 'evidence_against',
      onchain_risk: {
        chain_id: 8453,
        signer: me,
        decoded: [{ function: 'approve', to: usdc.toLowerCase() }],
        grants: [{ via: 'approve' }],
        chain: null,
      },
      decision_inputs: { artifact_type: 'onchain_action' },
    })
    expect(answer.checks_run).toContain('unlimited-allowance')
    expect(answer.not_checked).toContain('honeypot: no node was asked')
    const { event } = answer.proof as Signed
    expect(checkProof(event, { now: now(), keys: proof.log.keys() })).toMatchObject({ valid: true })
  })

  test('is the same by review, as JSON, as a request of a wallet and as bare calldata', async () => {
    const as = (artifact: string, more: object = {}) =>
      review({ artifact, artifact_type: 'onchain_action', ...more })
    const request = {
      method: 'eth_sendTransaction',
      params: [{ from: me, to: usdc, data: unlimitedApprove }],
    }
    const answers = [
      await as(JSON.stringify(approve)),
      await as(JSON.stringify(request)),
      await as(unlimitedApprove, { artifact_source: { chain_id: 8453, contract_address: usdc } }),
    ]
    for (const answer of answers)
      expect(answer).toMatchObject({
        verdict: 'reject',
        onchain_risk: { decoded: [{ function: 'approve' }] },
      })
  })

  test('with a known-bad address in its calldata is rejected', async () => {
    const data = `0xa9059cbb${bad.slice(2).padStart(64, '0')}${'5'.padStart(64, '0')}`
    expect(await onchain({ ...approve, transaction: { to: usdc, data } })).toMatchObject({
      verdict: 'reject',
      summary: expect.stringContaining('drainer'),
    })
  })

  test('that nobody can read is rejected for want of evidence', async () => {
    const transaction = { to: usdc, data: '0xdeadbeef' }
    expect(await onchain({ ...approve, transaction })).toMatchObject({
      verdict: 'reject',
      epistemic_basis: 'insufficient_evidence',
      reversibility_gate: { triggered: true },
    })
  })

  test('has an operation of its own', async () => {
    const first = await onchain({ ...approve, operation_id: 'chain-1' })
    expect(await onchain({ ...approve, operation_id: 'chain-1' })).toEqual(first)
    expect(await refusalOf(onchain({ ...approve, chain_id: 1, operation_id: 'chain-1' }))).toMatchObject({
      code: 'conflict',
    })
  })

  test.each<[string, object, string]>([
    ['nothing', {}, 'transaction'],
    ['two things', { ...approve, hash: `0x${'ab'.repeat(32)}` }, 'hash'],
    ['no address', { transaction: { to: 'vitalik.eth', data: '0x' } }, 'transaction.to'],
    ['odd bytes', { transaction: { to: usdc, data: '0xabc' } }, 'transaction.data'],
    ['a value with a unit', { transaction: { to: usdc, value: '1 ether' } }, 'transaction.value'],
    ['a negative value', { transaction: { to: usdc, value: -1 } }, 'transaction.value'],
    [
      'a value beyond 256 bits',
      { transaction: { to: usdc, value: `0x1${'0'.repeat(64)}` } },
      'transaction.value',
    ],
    ['a raw transaction that is none', { raw_transaction: '0x02c0' }, 'raw_transaction'],
    ['a hash of 31 bytes', { hash: `0x${'ab'.repeat(31)}` }, 'hash'],
    ['typed data without a type', { typed_data: { message: {} } }, 'typed_data.primaryType'],
    ['a misspelt wish', { ...approve, intent: { recipent: me } }, 'intent.recipent'],
    ['contacts that are none', { ...approve, intent: { contacts: ['bob'] } }, 'intent.contacts.0'],
    [
      '21 authorizations',
      { transaction: { to: usdc, authorization_list: Array(21).fill({}) } },
      'authorization_list',
    ],
    ['a chain that is none', { ...approve, chain_id: 'base' }, 'chain_id'],
  ])('%s is refused, and the field is named', async (_, input, path) => {
    const { code, message, paths } = await refusalOf(onchain(input))
    expect(code).toBe('invalid_input')
    expect(`${paths} ${message}`).toContain(path)
  })

  test('text that is no action is refused, nothing is judged', async () => {
    const { code, message } = await refusalOf(
      review({ artifact: 'Send five coins to Bob.', artifact_type: 'onchain_action' }),
    )
    expect({ code, message }).toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('artifact'),
    })
  })

  test('bytes made up at random are judged or refused, and never end the process', async () => {
    const selectors = ['095ea7b3', 'ac9650d8', '3593564c', '82ad56cb', '8d80ff0a', '6a761202', 'a9059cbb']
    for (let seed = 1; seed <= 300; seed++) {
      const noise = createHash('sha512')
        .update(String(seed))
        .digest('hex')
        .repeat(1 + (seed % 9))
      const words = seed % 3 === 0 ? noise : noise.replace(/.{64}/g, word => word.slice(60).padStart(64, '0'))
      const data = `0x${selectors[seed % selectors.length]}${words}`
      const answer = await onchain({ ...approve, transaction: { to: usdc, data }, dry_run: true })
      expect(['approve', 'approve_with_concerns', 'reject']).toContain(answer.verdict)
    }
  })
})
