import { expect, test } from 'vitest'
import { onBothEngines } from '../../payment/ledger-engines.ts'
import { listingOf, refused, startMarket, type Trader } from './market.ts'

const available = async (one: Trader) =>
  ((await one.ask('get_account')) as { credits: { available: number } }).credits.available

onBothEngines(engine => {
  const open = async () => {
    const place = await engine.place()
    const store = await place.open()
    const market = await startMarket({ store })
    const stop = async () => {
      await market.stop()
      await store.close()
      await place.clean()
    }
    return { market, stop }
  }

  test('50 finalizes at once, of 10 threads on one listing, seal one deal', async () => {
    const { market, stop } = await open()
    const poster = await market.trader({ credits: 300_000 })
    const { listing_id } = await poster.ask('post_listing', listingOf)
    const others = await Promise.all(Array.from({ length: 10 }, () => market.trader({ credits: 2000 })))
    const threads = await Promise.all(
      others.map(async one => {
        const { thread_id, standing } = await one.ask('open_thread', {
          listing: listing_id,
          text: 'As it is.',
        })
        return { id: thread_id, terms_hash: (standing as { terms_hash: string }).terms_hash }
      }),
    )
    const before = await available(poster)
    const asked = Array.from({ length: 50 }, (_, n) => poster.ask('finalize_deal', threads[n % 10]))
    const ended = await Promise.allSettled(asked)
    const sealed = ended.filter(({ status }) => status === 'fulfilled')
    expect(sealed).toHaveLength(1)
    expect(await available(poster)).toBe(before - 2000)
    const left = await Promise.all(others.map(available))
    expect(left.filter(credits => credits === 2000)).toHaveLength(9)
    expect(left.filter(credits => credits === 0)).toHaveLength(1)
    expect(await poster.ask('my_deals')).toMatchObject({ count: 1 })
    await stop()
  })

  test('two accounts that race for one domain get one grant', async () => {
    const { market, stop } = await open()
    const racers = await Promise.all(Array.from({ length: 6 }, () => market.trader({ profile: false })))
    const tokens = await Promise.all(
      racers.map(async (one, n) => {
        await one.ask('set_route', { deal_route: `https://racer-${n}.raced-domain.com/a2a` })
        return ((await one.ask('get_domain_challenge')) as { token: string }).token
      }),
    )
    expect(new Set(tokens).size).toBe(racers.length)
    market.internet.dns.zone.set('_broker-challenge.raced-domain.com', { TXT: tokens })
    const answers = await Promise.all(racers.map(one => one.ask('verify_domain')))
    expect(answers.every(({ verified }) => verified)).toBe(true)
    expect(answers.filter(({ granted }) => granted)).toHaveLength(1)
    const balances = await Promise.all(racers.map(available))
    expect(balances.reduce((sum, one) => sum + one, 0)).toBe(20_000)
    await stop()
  })

  test('an account gets one grant, however often it proves and whatever it proves', async () => {
    const { market, stop } = await open()
    const one = await market.trader({ profile: false })
    for (const domain of ['first-domain.com', 'second-domain.com']) {
      await one.ask('set_route', { deal_route: `https://agent.${domain}/` })
      const { token } = (await one.ask('get_domain_challenge')) as { token: string }
      market.internet.dns.zone.set(`_broker-challenge.${domain}`, { TXT: [token] })
      await Promise.all(Array.from({ length: 3 }, () => one.ask('verify_domain', {}, { client: domain })))
    }
    expect(await available(one)).toBe(20_000)
    await stop()
  })

  test('the same key posts, holds and charges once, also when it comes ten times at once', async () => {
    const { market, stop } = await open()
    const one = await market.trader({ credits: 5000 })
    const post = () => one.ask('post_listing', listingOf, { idempotencyKey: 'post-1' })
    const first = await post()
    const more = await Promise.allSettled(Array.from({ length: 10 }, post))
    for (const answer of more)
      if (answer.status === 'fulfilled') expect(answer.value.listing_id).toBe(first.listing_id)
    expect(await available(one)).toBe(5000 - 201)
    const other = await refused(
      one.ask('post_listing', { ...listingOf, title: 'Another' }, { idempotencyKey: 'post-1' }),
    )
    expect(other.code).toBe('conflict')
    await stop()
  })

  test('a metered read with the same key costs once and answers the same', async () => {
    const { market, stop } = await open()
    const one = await market.trader({ credits: 300 })
    await one.ask('post_listing', listingOf)
    const read = () => one.ask('browse_feed', { limit: 5 }, { idempotencyKey: 'read-1' })
    const first = await read()
    expect(await read()).toEqual(first)
    expect(await available(one)).toBe(300 - 201 - 1)
    await one.ask('browse_feed', { limit: 5 })
    expect(await available(one)).toBe(300 - 201 - 2)
    await stop()
  })
})
