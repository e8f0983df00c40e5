import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { message03, rpc } from '../../a2a/serve.ts'
import { callTool } from '../../mcp/wire.ts'
import { openProbing } from './probing.ts'
import { quoteOf, refused, startTown, type Town } from './town.ts'

let town: Town
let url: string
type Signed = { canonical: string; signature: string }
let signed: Signed
const generous = { max_cost: '0.05', authority: { budget: '1.00' }, accepted_licenses: ['MIT'] }
const payee = '0x1111111111111111111111111111111111111111'

const preflight = async (candidate_identifier: string) =>
  town.ask('pre_spend_preflight', { need: 'translation', candidate_identifier, ...generous })

beforeAll(async () => {
  town = await startTown()
  url = `https://${town.provider()}/work`
  await openProbing(town).verify(url)
  const answer = await preflight(url)
  expect(answer).toMatchObject({
    verdict: 'GO',
    max_cost: '0.05',
    quote: {
      network: 'eip155:8453',
      asset: quoteOf().accepts[0]?.asset,
      amount: '10000',
      pay_to: payee,
      scheme: 'exact',
      resource: url,
    },
  })
  signed = answer.signed as Signed
})
afterAll(() => town.stop())

const check = (payment_required: unknown, more: object = {}) => {
  const { canonical, signature } = signed
  return town.ask('check_quote', { canonical, signature, payment_required, ...more })
}

const withOffer = (more: object, quote: object = {}) => {
  const [offer] = quoteOf().accepts
  return { x402Version: 2, accepts: [{ ...offer, ...more }], ...quote }
}

test('the signed statement carries what may be paid', () => {
  expect(JSON.parse(signed.canonical)).toMatchObject({
    max_cost: '0.05',
    interaction_url: url,
    quote: { amount: '10000', pay_to: payee, resource: url },
    quotes: [{ amount: '10000' }],
  })
})

describe('a 402 held against a verdict', () => {
  test.each<[what: string, required: () => unknown, status: string]>([
    ['the same', () => quoteOf(), 'same'],
    [
      'the same in capitals',
      () => withOffer({ asset: '0x833589FCD6EDB6E08F4C7C32D4F71B54BDA02913' }),
      'same',
    ],
    ['the same in its header', () => Buffer.from(JSON.stringify(quoteOf())).toString('base64'), 'same'],
    ['the same as text', () => JSON.stringify(quoteOf()), 'same'],
    ['the same as one offer', () => quoteOf().accepts[0], 'same'],
    [
      'the same in version 1',
      () => ({
        x402Version: 1,
        accepts: [
          { ...quoteOf().accepts[0], network: 'base', maxAmountRequired: '10000', amount: undefined },
        ],
      }),
      'same',
    ],
    ['the same for the same resource', () => withOffer({}, { resource: { url } }), 'same'],
    ['a cheaper one', () => quoteOf('9999'), 'cheaper'],
    ['a dearer one', () => quoteOf('10001'), 'dearer'],
    ['another payee', () => quoteOf('10000', `0x${'2'.repeat(40)}`), 'other_payee'],
    ['another payee, cheaper', () => quoteOf('1', `0x${'2'.repeat(40)}`), 'other_payee'],
    ['another network', () => withOffer({ network: 'eip155:137' }), 'other_network'],
    ['another token', () => withOffer({ asset: `0x${'7'.repeat(40)}` }), 'other_asset'],
    ['another scheme', () => withOffer({ scheme: 'upto' }), 'other_scheme'],
    [
      'another resource',
      () => withOffer({}, { resource: { url: 'https://other.example.com/work' } }),
      'other_resource',
    ],
    ['one that has expired', () => withOffer({}, { expiresAt: '2020-01-01T00:00:00Z' }), 'expired'],
    ['one that cannot be read', () => withOffer({ payTo: '' }), 'unreadable'],
    [
      'a good and a dearer offer',
      () => ({ x402Version: 2, accepts: [...quoteOf().accepts, ...quoteOf('90000').accepts] }),
      'dearer',
    ],
  ])('%s', async (_, required, status) => {
    const answer = await check(required())
    const may_pay = status === 'same' || status === 'cheaper'
    expect(answer).toMatchObject({ status, may_pay, verdict: 'GO', max_cost: '0.05', untrusted: true })
  })

  test('of another call than the one that was checked', async () => {
    expect(await check(quoteOf(), { resource: 'https://other.example.com/work' })).toMatchObject({
      status: 'other_resource',
      may_pay: false,
    })
    for (const resource of [url, `${url}?text=hello`, url.replace('https:', 'http:')])
      expect(await check(quoteOf(), { resource })).toMatchObject({ status: 'same' })
    const asksForAnother = withOffer({}, { resource: { url: 'https://other.example.com/work' } })
    expect(await check(asksForAnother, { resource: url })).toMatchObject({ status: 'other_resource' })
  })

  test('with a verdict that was changed, or is not ours', async () => {
    const canonical = signed.canonical.replace('"10000"', '"99999"')
    const answer = await check(quoteOf('99999'), { canonical })
    expect(answer).toMatchObject({ status: 'not_authentic', may_pay: false, verdict: null, quote: null })
  })

  test('with a verdict that is no GO allows nothing', async () => {
    const held = await preflight(`https://${town.provider()}/work`)
    expect(held.verdict).toBe('HOLD')
    const { canonical, signature } = held.signed as Signed
    expect(await check(quoteOf(), { canonical, signature })).toMatchObject({
      may_pay: false,
      verdict: 'HOLD',
    })
  })

  test('with a verdict on something free is dearer', async () => {
    const { agent, verify } = openProbing(town)
    const host = agent(() => ({ result: { message: { parts: [] } } }))
    await verify(host)
    const answer = await preflight(host)
    expect(answer).toMatchObject({ verdict: 'GO', quote: null, max_cost: '0' })
    const { canonical, signature } = answer.signed as Signed
    expect(await check(withOffer({ amount: '1' }), { canonical, signature })).toMatchObject({
      status: 'dearer',
      may_pay: false,
    })
  })

  test.each([
    ['a number for a 402', { payment_required: 7 }, 'payment_required'],
    ['no x402 quote', { payment_required: { hello: 1 } }, 'payment_required'],
    ['text that is none', { payment_required: 'hello' }, 'payment_required'],
    ['a resource that is no address', { payment_required: quoteOf(), resource: 'x' }, 'resource'],
    ['an unknown field', { payment_required: quoteOf(), amount: '1' }, 'amount'],
  ])('%s is refused by name', async (_, more, path) => {
    const { canonical, signature } = signed
    const answer = town.ask('check_quote', { canonical, signature, ...more })
    expect(await refused(answer)).toMatchObject({ status: 422, issues: [{ path }] })
  })
})

test('it answers over MCP by name alone, over REST and over A2A', async () => {
  const served = await town.serve()
  const { canonical, signature } = signed
  const input = { canonical, signature, payment_required: quoteOf() }
  const { result } = await callTool(`${served.url}/gateway/mcp`, '2026', 'check_quote', input)
  expect(result.structuredContent).toMatchObject({ status: 'same', may_pay: true })
  const post = (path: string, body: object) =>
    fetch(`${served.url}/gateway${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  expect(await (await post('/verdicts/check-quote', input)).json()).toMatchObject({ status: 'same' })
  const response = await post(
    '/a2a/v1',
    rpc('message/send', message03([{ action: 'check_quote', ...input }])),
  )
  expect(JSON.stringify(await response.json())).toContain('"status":"same"')
  await served.stop()
})

test('a verdict that has expired allows nothing more', async () => {
  town.later(6 * 60_000)
  expect(await check(quoteOf())).toMatchObject({ status: 'expired', may_pay: false, verdict: 'GO' })
})
