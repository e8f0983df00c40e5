import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { toBoundParameters } from '../../mcp/lib/payment-auth.ts'
import { openTokens } from '../../mcp/payment/dialects/l402/credential.ts'
import { openChallenges } from '../../mcp/payment/dialects/payment/challenge.ts'
import { openEncryption } from '../../mcp/payment/gate/encryption.ts'

const [before, now] = [{ hmacKey: Buffer.alloc(32, 1) }, { hmacKey: Buffer.alloc(32, 2) }]
const rotating = { ...now, previousHmacKey: before.hmacKey }

test('a payment that was encrypted with the key before opens while keys are rotated, and only then', () => {
  const closed = openEncryption(before).close('a payment')
  expect([rotating, now].map(keys => openEncryption(keys).open(closed))).toEqual(['a payment', undefined])
  expect(openEncryption(now).open(openEncryption(rotating).close('a payment'))).toBe('a payment')
})

const preimage = 'ab'.repeat(32)
const paymentHash = createHash('sha256').update(Buffer.from(preimage, 'hex')).digest('hex')
const offer = {
  method: 'lightning',
  kind: 'bolt11',
  network: 'lightning:regtest',
  asset: 'BTC',
  payTo: '02aa',
  amount: '100000',
  decimals: 3,
  words: '100 sat over Lightning',
  maxTimeoutSeconds: 600,
  extra: { quote: 'a quote', paymentHash, invoice: 'lnbcrt1' },
}

test('a token of L402 and a challenge that the key before signed are ours while keys are rotated, and only then', () => {
  const at = new Date('2026-11-28T12:00:00Z')
  const token = openTokens(before, () => at).mint(
    offer,
    { service: 'proof', tool: 'review' },
    new Date(at.getTime() + 60_000),
  )
  const { id, ...challenge } = openChallenges(before).issue(offer, 'octagent', at)
  const isOurs = [rotating, now].map(keys => [
    'data' in openTokens(keys, () => at).read('authorization', token, preimage),
    openChallenges(keys).isOurs(id, toBoundParameters(challenge)),
  ])
  expect(isOurs).toEqual([
    [true, true],
    [false, false],
  ])
})
