import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { toBoundParameters } from '../../mcp/lib/payment-auth.ts'
import { openTokens } from '../../mcp/payment/dialects/l402/credential.ts'
import { openChallenges } from '../../mcp/payment/dialects/payment/challenge.ts'
import { openEncryption } from '../../mcp/payment/gate/encryption.ts'
import { openX402Evm } from '../../mcp/payment/methods/x402-evm/method.ts'
import { openX402Svm } from '../../mcp/payment/methods/x402-svm/method.ts'
import { openChain } from '../../mcp/ports/chain/chain.ts'
import { networks } from '../../mcp/ports/chain/networks.ts'
import { solanaNetworks } from '../../mcp/ports/solnet/network.ts'

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

test('the wallet that was paid before stands in for the till, and for no other payee', async () => {
  const [till, previous, worker] = ['0xaAaA', '0xbB', '0xcC'].map(
    start => start.padEnd(42, '0') as `0x${string}`,
  )
  if (!till || !previous || !worker) throw new Error('three addresses')
  const facilitator = { key: () => Promise.reject(new Error('nothing is settled here')) }
  const methods = [
    openX402Evm({
      chain: openChain({ network: networks.base, rpc: 'http://127.0.0.1:9' }),
      payTo: async () => till,
      previousPayTo: previous,
      facilitator,
    }),
    openX402Svm({
      network: solanaNetworks.mainnet,
      devnet: false,
      rpc: async () => 'http://127.0.0.1:9',
      payTo: async () => till,
      previousPayTo: previous,
      facilitator,
    }),
  ]
  for (const method of methods) {
    expect(await method.previousPayTo?.({ ...offer, payTo: till })).toBe(previous)
    expect(await method.previousPayTo?.({ ...offer, payTo: worker })).toBeUndefined()
  }
})
