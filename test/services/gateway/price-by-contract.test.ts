import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openProbing } from './probing.ts'
import { quoteOf, startTown, statuses, type Town } from './town.ts'

let town: Town
let verify: ReturnType<typeof openProbing>['verify']
beforeAll(async () => {
  town = await startTown()
  ;({ verify } = openProbing(town))
})
afterAll(() => town.stop())

const generous = { max_cost: '0.05', authority: { budget: '1.00' }, accepted_licenses: ['MIT'] }
const solana = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'
const mint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const other = `0x${'7'.repeat(40)}`

/** A preflight of a provider that asks for this, probed a moment ago. */
const judge = async (...offers: object[]) => {
  const accepts = offers.map(offer => ({ ...quoteOf().accepts[0], ...offer }))
  const host = town.provider({
    '/work': town.json({ x402Version: 2, accepts }, 402),
    '/.well-known/x402': null,
  })
  const url = `https://${host}/work`
  await verify(url)
  return town.ask('pre_spend_preflight', { need: 'translation', candidate_identifier: url, ...generous })
}

describe('a price is USD by network and contract', () => {
  test.each([
    ['USDC under its name', {}],
    ['USDC under no name', { extra: {} }],
    ['USDC under another name', { extra: { name: 'Whatever' } }],
    ['USDC on a network by its old name', { network: 'base' }],
    ['USDC on Solana', { network: solana, asset: mint, payTo: mint }],
    [
      '18 decimals',
      {
        network: 'eip155:56',
        asset: '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d',
        amount: '10000000000000000',
      },
    ],
  ])('%s: GO', async (_, offer) => {
    const answer = await judge(offer)
    expect(answer).toMatchObject({ verdict: 'GO', reason_codes: [] })
    expect(
      (answer.checks as { id: string; detail: string }[]).find(({ id }) => id === 'price_known')?.detail,
    ).toBe('The provider asks 0.01 USD.')
  })

  test.each([
    [
      '18 decimals',
      {
        network: 'eip155:56',
        asset: '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d',
        amount: '1000000000000000000',
      },
    ],
    ['6 decimals', { amount: '1000000' }],
  ])('a dollar with %s is over five cents', async (_, offer) => {
    expect(statuses(await judge(offer)).price_within_max).toBe('fail')
  })

  test.each([
    ['an unknown token', { asset: other, extra: { name: 'Other' } }],
    ['a token without a name', { asset: other, extra: {} }],
    [
      'a dollar on a network that nobody knows',
      { network: 'eip155:99887766', asset: other, extra: { name: 'USDC' } },
    ],
    ['a word for a contract', { asset: 'USDC' }],
  ])('%s: HOLD, with an unknown price', async (_, offer) => {
    const answer = await judge(offer)
    if ((offer as { asset?: string; extra?: object }).asset === 'USDC') expect(answer.verdict).not.toBe('GO')
    else expect(answer.verdict).toBe('HOLD')
    expect(statuses(answer)).toMatchObject({ price_known: 'unknown', price_within_max: 'unknown' })
  })

  test.each([
    ['8 decimals called "USD Coin"', { asset: other, amount: '10000' }],
    ['a symbol alone', { asset: other, extra: { symbol: 'usdc' } }],
    ['a letter of another script', { asset: other, extra: { name: 'USD С\u043ein' } }],
    ['a mint in other letter case', { network: solana, asset: mint.toLowerCase(), payTo: mint, extra: {} }],
    ['the contract of another network', { network: 'eip155:137', extra: {} }],
  ])('a look-alike by %s: STOP', async (what, offer) => {
    const answer = await judge(offer)
    expect(answer.verdict, what).toBe('STOP')
    expect(answer).toMatchObject({ reason_code: 'asset_genuine_failed' })
    expect(statuses(answer)).toMatchObject({ price_known: 'unknown' })
  })

  test('one look-alike among good offers stops', async () => {
    expect((await judge({}, { asset: other })).reason_code).toBe('asset_genuine_failed')
  })

  test('payees on Solana that differ in letter case are two', async () => {
    const answer = await judge(
      { network: solana, asset: mint, payTo: mint },
      { network: solana, asset: mint, payTo: mint.toLowerCase() },
    )
    expect(statuses(answer).pay_to_consistent).toBe('fail')
  })

  test('an entry of a bazaar in another token has no price', async () => {
    const accepts = [{ ...quoteOf().accepts[0], asset: other }]
    const items = [{ resource: 'https://paid.example.com/x', x402Version: 2, accepts }]
    town.internet.web.site('registry.example.net', '/x402/search', town.json({ items }))
    const answer = await town.ask('discover_external', { capability: 'odd coins' })
    expect(answer.candidates).toMatchObject([{ price: null }])
    town.internet.web.site('registry.example.net', '/x402/search', town.json({ items: [] }))
  })
})
