import { describe, expect, test } from 'vitest'
import { opened } from '../../opened.ts'
import { listingOf, refused, startMarket, type Trader } from './market.ts'

const market = opened(startMarket)

const available = async (one: Trader) =>
  ((await one.ask('get_account')) as { credits: { available: number } }).credits.available

describe('registering', () => {
  test.each([[undefined], [false], ['true'], [1], [null]])(
    'accepted_terms %s is 428 terms_required',
    async accepted_terms => {
      expect(
        await refused(
          market.ask('register_account', { ...(accepted_terms !== undefined && { accepted_terms }) }),
        ),
      ).toMatchObject({
        code: 'precondition_required',
        status: 428,
        reason: 'terms_required',
      })
    },
  )

  test('a repeated registration answers without the key', async () => {
    const ask = (idempotencyKey: string) =>
      market.ask('register_account', { accepted_terms: true }, { idempotencyKey, client: 'one' })
    const first = await ask('k1')
    expect(first).toMatchObject({ existing: false, credits: 0, api_key: expect.stringMatching(/^brk_/) })
    expect(await ask('k1')).toMatchObject({ existing: true, api_key: null, account_id: first.account_id })
    expect(await ask('k2')).toMatchObject({ existing: false })
  })

  test('the key is kept as a hash only; a rotated key stops the old one at once', async () => {
    const one = await market.trader()
    const row = await market.world.ports.store?.collection<{ id: string }>('broker.accounts').get(one.id)
    const keys = await market.world.ports.keys?.list(market.world.ports.store as never, {
      prefix: 'brk',
      holder: one.id,
    })
    expect(keys).toHaveLength(1)
    expect(JSON.stringify([row, keys])).not.toContain(one.key.slice(8))
    const { api_key } = await one.ask('rotate_key')
    expect((await refused(one.ask('get_account'))).code).toBe('unauthenticated')
    expect(await market.ask('get_account', {}, { credentials: { apiKey: String(api_key) } })).toMatchObject({
      account_id: one.id,
    })
  })

  test('a call without a key is 401', async () => {
    expect((await refused(market.ask('get_account'))).code).toBe('unauthenticated')
  })

  test.each([
    ['contact_email', { contact_name: 'A', contact_email: 'ada@localhost' }],
    ['contact_email', { contact_name: 'A', contact_email: 'ada@agents.invalid' }],
    ['contact_email', { contact_name: 'A', contact_email: 'no address' }],
    ['contact_name', { contact_name: ' ', contact_email: 'ada@agents.dev' }],
  ])('set_contact names %s', async (path, input) => {
    const one = await market.trader({ profile: false })
    expect(await refused(one.ask('set_contact', input))).toMatchObject({
      code: 'invalid_input',
      issues: [{ path }],
    })
  })

  test.each([
    'http://agents.dev/',
    'https://localhost/',
    'https://u:p@agents.dev/',
    'https://10.0.0.1/',
    'nonsense',
  ])('set_route refuses %s', async deal_route => {
    const one = await market.trader({ profile: false })
    expect((await refused(one.ask('set_route', { deal_route }))).code).toBe('invalid_input')
  })

  test.each([
    'co.uk',
    'github.io',
    'vercel.app',
    's3.amazonaws.com',
    'kawasaki.jp',
    'xn--55qx5d.cn',
    'co.uk.',
  ])('set_route refuses the public suffix %s and says what to send', async suffix => {
    const one = await market.trader({ profile: false })
    expect(await refused(one.ask('set_route', { deal_route: `https://${suffix}/a2a` }))).toMatchObject({
      code: 'invalid_input',
      issues: [{ path: 'deal_route', message: expect.stringContaining(`${suffix} is a public suffix`) }],
      detail: expect.stringContaining(`such as https://agent.${suffix.replace(/\.$/, '')}/`),
    })
  })

  test.each(['agent.github.io', 'agents.co.uk', 'a.agents.dev'])('set_route takes %s', async host => {
    const one = await market.trader({ profile: false })
    expect(await one.ask('set_route', { deal_route: `https://${host}/a2a` })).toMatchObject({
      deal_route: `https://${host}/a2a`,
    })
  })

  test('a route that was set before suffixes were refused has no domain to prove', async () => {
    const one = await market.trader()
    const rows = market.world.ports.store?.collection<{ id: string }>('broker.accounts')
    await rows?.update(one.id, row => ({ ...row, deal_route: 'https://github.io/a2a' }))
    for (const name of ['get_domain_challenge', 'verify_domain'])
      expect(await refused(one.ask(name))).toMatchObject({
        status: 428,
        reason: 'deal_route_is_public_suffix',
        detail: expect.stringContaining('https://agent.github.io/'),
      })
  })
})

describe('profiles', () => {
  test('opening without one is 428 that names what is missing, and nothing is held', async () => {
    const poster = await market.trader({ credits: 500 })
    const { listing_id } = await poster.ask('post_listing', listingOf)
    const bare = await market.trader({ credits: 3000, profile: false })
    expect(await refused(bare.ask('open_thread', { listing: listing_id, text: 'Hi.' }))).toMatchObject({
      status: 428,
      reason: 'profile_incomplete_self',
      params: {
        missing: ['contact_name', 'contact_email', 'deal_route'],
        blocked_actions: ['open_thread', 'receive_thread'],
      },
    })
    expect(await available(bare)).toBe(3000)
  })

  test('a poster without one cannot receive threads, and the opener is told whose it is', async () => {
    const poster = await market.trader({ credits: 500, profile: false })
    const { listing_id } = await poster.ask('post_listing', listingOf)
    const one = await market.trader({ credits: 3000 })
    expect(await refused(one.ask('open_thread', { listing: listing_id, text: 'Hi.' }))).toMatchObject({
      reason: 'profile_incomplete_counterparty',
    })
    expect(await available(one)).toBe(3000)
  })

  test('nobody without credits is asked to pay for what would be refused', async () => {
    const poster = await market.trader()
    const { listing_id } = await poster.ask('post_listing', listingOf)
    expect(await refused(poster.ask('open_thread', { listing: listing_id, text: 'Hi.' }))).toMatchObject({
      reason: 'self_listing_negotiation',
    })
  })
})

describe('listings', () => {
  test('the first three of an account never funded are free, then they cost', async () => {
    const one = await market.trader()
    for (const left of [2, 1, 0])
      expect(await one.ask('post_listing', listingOf)).toMatchObject({
        charges: [],
        free_listings_left: left,
      })
    expect((await refused(one.ask('post_listing', listingOf))).code).toBe('unavailable')
    await market.fund(one.id, 201)
    expect(await one.ask('post_listing', listingOf)).toMatchObject({
      charges: [
        { what: 'listing', credits: 200 },
        { what: 'metered call', credits: 1 },
      ],
    })
    expect(await available(one)).toBe(0)
  })

  test.each([
    ['a title with an address', { title: 'Ask ada@agents.dev' }, 'title'],
    ['a body with a site', { body: 'See agents.dev for more.' }, 'body'],
    ['terms with a handle', { notes: 'Find me as @ada_l' }, 'notes'],
  ])('%s is refused by name, for nothing', async (_, more, path) => {
    const one = await market.trader({ credits: 300 })
    expect(await refused(one.ask('post_listing', { ...listingOf, ...more }))).toMatchObject({
      code: 'invalid_input',
      reason: 'contact_leak',
      issues: [{ path }],
    })
    expect(await available(one)).toBe(300)
  })

  test.each([
    ['listing_type', { listing_type: 'rent' }],
    ['category', { category: 'nonsense' }],
    ['title', { title: 'x'.repeat(201) }],
    ['price_usd', { price_usd: '12,50' }],
    ['price_usd', { price_usd: -1 }],
    ['delivery_deadline_days', { delivery_deadline_days: 4000 }],
  ])('names %s when it is wrong', async (path, more) => {
    const one = await market.trader({ credits: 300 })
    expect(await refused(one.ask('post_listing', { ...listingOf, ...more }))).toMatchObject({
      issues: [{ path }],
    })
  })

  test('free listings live a day, and come after all that were paid', async () => {
    const payer = await market.trader({ credits: 5000 })
    const newcomer = await market.trader()
    const post = async (trader: typeof payer, at: number) =>
      (await trader.ask('post_listing', {
        ...listingOf,
        listing_type: 'buy',
        category: 'translation',
        title: `Okapi sought ${at}`,
      })) as { listing_id: string; created_at: string; expires_at: string }
    const paid = [await post(payer, 1), await post(payer, 2)]
    const free = [await post(newcomer, 3), await post(newcomer, 4)]
    const days = [...paid, ...free].map(
      ({ created_at, expires_at }) => (Date.parse(expires_at) - Date.parse(created_at)) / 86_400_000,
    )
    expect(days).toEqual([7, 7, 1, 1])
    const ids = [paid[1], paid[0], free[1], free[0]].map(listing => listing?.listing_id)
    const searches = [{ type: 'buy', category: 'translation' }, { category: 'translation' }, { q: 'okapi' }]
    for (const search of searches) {
      const { listings } = (await payer.ask('browse_feed', { ...search, limit: 10 })) as {
        listings: { listing_id: string }[]
      }
      expect(listings.map(({ listing_id }) => listing_id)).toEqual(ids)
    }
    const boards = [{ type: 'buy', limit: 1 }, { limit: 1 }]
    for (const board of boards) {
      const { listings } = (await payer.ask('preview_board', board)) as { listings: { listing_id: string }[] }
      expect(free.map(({ listing_id }) => listing_id)).not.toContain(listings[0]?.listing_id)
    }
  })

  test('the board filters by type, category and words, in pages, the newest first', async () => {
    const one = await market.trader({ credits: 5000 })
    const ids: unknown[] = []
    for (let n = 0; n < 5; n++)
      ids.push(
        (
          await one.ask('post_listing', {
            ...listingOf,
            listing_type: 'buy',
            category: 'gpu',
            title: `Zebra wanted ${n}`,
          })
        ).listing_id,
      )
    const seen: unknown[] = []
    for (let after: unknown; ; ) {
      const page = (await one.ask('browse_feed', {
        type: 'buy',
        category: 'compute',
        q: 'zebra',
        limit: 2,
        ...(after ? { after } : {}),
      })) as {
        listings: { listing_id: string }[]
        next: string | null
        untrusted: boolean
      }
      expect(page.untrusted).toBe(true)
      seen.push(...page.listings.map(({ listing_id }) => listing_id))
      after = page.next
      if (!after) break
    }
    expect(seen).toEqual(ids.reverse())
    expect(await one.ask('browse_feed', { type: 'sell', q: 'zebra' })).toMatchObject({ count: 0 })
    expect((await refused(one.ask('browse_feed', { after: 'nonsense' }))).code).toBe('invalid_input')
    for (const limit of [0, 101, 'abc'])
      expect((await refused(one.ask('browse_feed', { limit }))).code).toBe('invalid_input')
  })

  test('withdrawing takes it down, closes its threads and frees their holds', async () => {
    const [poster, one] = [await market.trader({ credits: 300 }), await market.trader({ credits: 2000 })]
    const { listing_id } = await poster.ask('post_listing', listingOf)
    await one.ask('open_thread', { listing: listing_id, text: 'Hi.' })
    expect((await refused(one.ask('withdraw_listing', { id: listing_id }))).code).toBe('not_found')
    expect(await poster.ask('withdraw_listing', { id: listing_id })).toMatchObject({
      state: 'withdrawn',
      closed_threads: 1,
    })
    expect(await available(one)).toBe(2000)
  })
})
