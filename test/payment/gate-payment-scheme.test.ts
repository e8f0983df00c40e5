import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { PaymentRequired } from '../../mcp/kernel/error.ts'
import { encodeParameter } from '../../mcp/lib/payment-auth.ts'
import type { Challenge } from '../../mcp/payment/dialects/payment/challenge.ts'
import { pay } from './fake-method.ts'
import { type CallOptions, failing, openPaid, type Paid, readQuote } from './gate-fixture.ts'
import { answerChallenge } from './payment-scheme.ts'

let paid: Paid
let at = 0
beforeEach(async () => {
  at = Date.parse('2026-11-22T12:00:00.500Z')
  paid = await openPaid({ clock: () => new Date(at) })
})
afterEach(() => paid.stop())

const refusal = async (promise: Promise<unknown>): Promise<PaymentRequired> => {
  const error = await failing(promise)
  if (error instanceof PaymentRequired) return error
  throw error
}

const requiredKey = 'org.paymentauth/payment-required'

const readChallenge = ({ parts }: PaymentRequired): Challenge => {
  const { challenges = [] } = (parts.meta?.[requiredKey] ?? {}) as { challenges?: Challenge[] }
  const [challenge] = challenges
  if (!challenge) throw new Error('no challenge')
  return challenge
}

const answer = (challenge: Challenge, payer = paid.chain.payer(), changes: object = {}) =>
  answerChallenge(paid.chain, challenge, payer, changes)

const inHeader = ({ challenge, payload }: ReturnType<typeof answer>, before = ''): CallOptions => {
  const wire = { challenge: { ...challenge, request: encodeParameter(challenge.request) }, payload }
  const authorization = `${before}Payment ${Buffer.from(JSON.stringify(wire)).toString('base64url')}`
  return { evidence: { headers: { authorization }, meta: {} } }
}

const inMeta = (credential: object): CallOptions => ({
  evidence: { headers: {}, meta: { 'org.paymentauth/credential': credential } },
})

describe('the challenge', () => {
  test('is a line of WWW-Authenticate, and the same as an object for messages', async () => {
    const error = await refusal(paid.ask(paid.feed))
    const [line = ''] = error.parts.challenges ?? []
    const challenge = readChallenge(error)
    expect(challenge).toMatchObject({
      realm: 'pay.example.org',
      method: 'evm',
      intent: 'charge',
      expires: '2026-11-22T12:05:00.000Z',
      request: {
        amount: '100000',
        currency: paid.chain.asset,
        methodDetails: { chainId: 84532, credentialTypes: ['authorization'] },
        recipient: paid.chain.payTo,
      },
    })
    const parameters = Object.fromEntries(
      Array.from(line.matchAll(/(\w+)="([^"]*)"/g), ([, name, value]) => [name, value]),
    )
    expect(line).toMatch(/^Payment id="[\w-]{43}", realm="/)
    expect(parameters).toEqual({ ...challenge, request: encodeParameter(challenge.request) })
    expect(error.parts.a2a?.[requiredKey]).toEqual(error.parts.meta?.[requiredKey])
    expect(error.parts.structured).not.toHaveProperty('challenges')
  })

  test('is another one each time, also for a probe', async () => {
    const refusalFor = (input: object) => refusal(paid.ask(paid.feed, { input }))
    const ids = await Promise.all([{ cat: 'Mia' }, { cat: 'Mia' }, {}, {}].map(input => refusalFor(input)))
    expect(new Set(ids.map(error => readChallenge(error).id)).size).toBe(4)
  })
})

describe('a credential', () => {
  test.each([
    ['a header', inHeader],
    [
      'a header, after a key',
      (credential: ReturnType<typeof answer>) => inHeader(credential, 'Bearer abc, '),
    ],
    ['metadata', inMeta],
  ])('pays in %s, once, and again for nothing', async (_, place) => {
    const { ask, feed, chain, knobs } = paid
    const credential = answer(readChallenge(await refusal(ask(feed))))
    const first = await ask(feed, place(credential))
    expect(first).toMatchObject({ output: { run: 1 }, receipt: { transaction: expect.any(String) } })
    const proof = first.parts?.meta?.['org.paymentauth/receipt']
    expect(proof).toMatchObject({
      method: 'evm',
      status: 'success',
      reference: first.receipt?.transaction,
      receipt: first.receipt?.id,
      timestamp: '2026-11-22T12:00:00.500Z',
    })
    const header = Buffer.from(first.parts?.headers?.['Payment-Receipt'] ?? '', 'base64url').toString()
    expect(JSON.parse(header)).toEqual(proof)
    at += 3_600_000
    const again = await ask(feed, { ...place(credential), client: '198.51.100.7' })
    expect(again).toMatchObject({ output: first.output, replayed: true, parts: first.parts })
    expect([knobs.runs, chain.debits()]).toEqual([1, 100_000n])
  })

  test('holds the price of its challenge while the price drifts, for its own call only', async () => {
    const { ask, feed, knobs, chain } = paid
    const challenge = readChallenge(await refusal(ask(feed)))
    knobs.price = '0.2'
    const other = await refusal(ask(feed, { input: { cat: 'Tom' }, ...inMeta(answer(challenge)) }))
    expect(other.extra.reason).toBe('too_little')
    expect((await ask(feed, inMeta(answer(challenge)))).output).toMatchObject({ run: 1 })
    expect(chain.debits()).toBe(100_000n)
  })

  test.each([
    [
      'of somebody else’s challenge',
      (c: Challenge) => answer({ ...c, id: Buffer.alloc(32).toString('base64url') }),
    ],
    ['for a lower price', (c: Challenge) => answer({ ...c, request: { ...c.request, amount: '1' } })],
    ['for longer', (c: Challenge) => answer({ ...c, expires: '2027-01-01T00:00:00.000Z' })],
    ['of another realm', (c: Challenge) => answer({ ...c, realm: 'other.example.org' })],
    ['with another nonce', (c: Challenge) => answer(c, undefined, { nonce: `0x${'00'.repeat(32)}` })],
    ['that never ends', (c: Challenge) => answer(c, undefined, { validBefore: '99999999999' })],
    ['that is empty', () => ({})],
    ['that is text', () => 'text'],
  ])('%s is refused as unreadable, by the name of its place', async (_, change) => {
    const { ask, feed, chain } = paid
    const credential = change(readChallenge(await refusal(ask(feed))))
    const error = await refusal(ask(feed, inMeta(credential as object)))
    expect(error.extra.reason).toBe('unreadable')
    expect(error.message).toContain('_meta["org.paymentauth/credential"]: ')
    expect(chain.debits()).toBe(0n)
  })

  test('in a header that cannot be read is named', async () => {
    const evidence = { headers: { authorization: 'Payment %%%' }, meta: {} }
    expect((await refusal(paid.ask(paid.feed, { evidence }))).message).toContain('Authorization: Payment')
  })

  test('is refused for what is wrong with the authorization, and as 402 only while nothing moved', async () => {
    const { ask, feed, chain } = paid
    const challenge = readChallenge(await refusal(ask(feed)))
    const poor = await refusal(ask(feed, inMeta(answer(challenge, chain.payer(1n)))))
    expect(poor.extra.reason).toBe('insufficient_funds')
    chain.slow = true
    const good = inMeta(answer(challenge))
    expect((await failing(ask(feed, good))).status).toBe(202)
    expect((await failing(ask(feed, good))).status).toBe(202)
    chain.confirm()
    expect((await ask(feed, good)).output).toMatchObject({ run: 1 })
  })
})

describe('one authorization in two dialects', () => {
  test('is one payment: the other one is a conflict, never a new quote', async () => {
    const { ask, feed, chain, knobs } = paid
    const payer = chain.payer()
    const [accepted, challenge] = [await readQuote(ask(feed)), readChallenge(await refusal(ask(feed)))]
    const credential = answer(challenge, payer)
    const { type: _, signature, ...authorization } = credential.payload
    const v2 = { x402Version: 2, accepted, payload: { authorization, signature } }
    await ask(feed, inMeta(credential))
    for (const payment of [v2, { ...v2, x402Version: 1, scheme: 'exact', network: 'base-sepolia' }]) {
      const error = await failing(ask(feed, { payment }))
      expect([error.status, error.extra.reason]).toEqual([409, 'payment_already_used'])
    }
    expect([knobs.runs, chain.debits()]).toEqual([1, 100_000n])
  })

  test('in one call is one payment; two authorizations are ambiguous', async () => {
    const { ask, feed, chain } = paid
    const payer = chain.payer()
    const [accepted, challenge] = [await readQuote(ask(feed)), readChallenge(await refusal(ask(feed)))]
    const credential = answer(challenge, payer)
    const { type: _, signature, ...authorization } = credential.payload
    const same = { x402Version: 2, accepted, payload: { authorization, signature } }
    const both = (payment: object) => ({
      evidence: { headers: {}, meta: { 'x402/payment': payment, 'org.paymentauth/credential': credential } },
    })
    const error = await failing(ask(feed, both(pay(chain, payer, accepted))))
    expect([error.status, error.extra.reason, chain.debits()]).toEqual([402, 'ambiguous_payment', 0n])
    expect((await ask(feed, both(same))).output).toMatchObject({ run: 1 })
    expect(chain.debits()).toBe(100_000n)
  })
})
