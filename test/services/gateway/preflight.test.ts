import { createPublicKey, verify } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { probesIn } from '../../../mcp/services/gateway/callability/history.ts'
import { opened } from '../../opened.ts'
import { cardAt, quoteOf, refused, startTown, statuses } from './town.ts'

const town = opened(startTown)

const preflight = (candidate_identifier: string, more: object = {}) =>
  town.ask('pre_spend_preflight', { need: 'translation', candidate_identifier, ...more })

/** Evidence of ours that a provider was callable just now. */
const probed = async (host: string, more: object = {}) => {
  const at = new Date().toISOString()
  const probe = { id: `p-${host}`, target: `https://${host}/work`, status: 'callable', failure_class: null }
  const rest = { proof_digest: 'sha256:0', card_digest: null, pay_to: null, at }
  await probesIn(town.world.ports.store as never).put({ ...probe, ...rest, ...more } as never)
}

const generous = { max_cost: '0.05', authority: { budget: '1.00' }, accepted_licenses: ['MIT'] }

describe('a preflight', () => {
  test('is GO only when every check passes, and says so in a signature that verifies offline', async () => {
    const host = town.provider()
    await probed(host)
    const answer = await preflight(`https://${host}/work`, generous)
    expect(answer).toMatchObject({
      verdict: 'GO',
      decision: 'GO',
      reason_code: 'all_checks_passed',
      reason_codes: [],
    })
    expect(Object.values(statuses(answer)).every(status => ['pass', 'not_applicable'].includes(status))).toBe(
      true,
    )
    const { canonical, signature, kid } = answer.signed as Record<string, string>
    const { keys } = (await town.sign.jwks()) as { keys: { kid: string }[] }
    const key = createPublicKey({ key: keys.find(one => one.kid === kid) as never, format: 'jwk' })
    expect(verify(null, Buffer.from(canonical ?? ''), key, Buffer.from(signature ?? '', 'base64url'))).toBe(
      true,
    )
    expect(JSON.parse(canonical ?? '')).toMatchObject({
      verdict: 'GO',
      need: 'translation',
      reason_codes: [],
    })
    expect(await town.ask('verify_verdict', { canonical, signature })).toMatchObject({ valid: true })
    const forged = canonical?.replace('"GO"', '"STOP"')
    expect(await town.ask('verify_verdict', { canonical: forged, signature })).toMatchObject({ valid: false })
  })

  test.each([
    ['max_cost', 'price_within_max'],
    ['authority', 'economic_authority'],
    ['accepted_licenses', 'commercial_rights'],
  ])('holds without %s', async (left, id) => {
    const host = town.provider()
    await probed(host)
    const answer = await preflight(`https://${host}/work`, { ...generous, [left]: undefined })
    expect(answer).toMatchObject({ verdict: 'HOLD', reason_codes: [`${id}_unknown`] })
  })

  test('holds without evidence of ours, and says how to get it', async () => {
    const answer = await preflight(`https://${town.provider()}/work`, generous)
    expect(answer).toMatchObject({
      verdict: 'HOLD',
      reason_codes: ['protocol_callable_unknown'],
      next_action: { action: 'verify_callability' },
    })
  })

  test('evidence older than a day does not count', async () => {
    const host = town.provider()
    await probed(host, { at: new Date(Date.now() - 25 * 3_600_000).toISOString() })
    expect(statuses(await preflight(`https://${host}/work`, generous)).protocol_callable).toBe('unknown')
  })

  test('holds when the price is not known', async () => {
    const host = town.provider({ '/work': town.json({ ok: true }) })
    await probed(host)
    const answer = await preflight(`https://${host}/work`, generous)
    expect(answer.verdict).toBe('HOLD')
    expect(statuses(answer)).toMatchObject({
      price_known: 'unknown',
      quote_valid: 'unknown',
      max_cost_known: 'unknown',
    })
  })

  test('stops when the price is over the maximum or the budget', async () => {
    const host = town.provider({ '/work': town.json(quoteOf('900000'), 402) })
    const answer = await preflight(`https://${host}/work`, { ...generous, authority: { budget: '0.5' } })
    expect(answer.verdict).toBe('STOP')
    expect(statuses(answer)).toMatchObject({ price_within_max: 'fail', economic_authority: 'fail' })
  })

  test('stops when card, quote or manifest name different payees', async () => {
    const host = town.provider({ '/.well-known/x402': town.json({ payTo: `0x${'2'.repeat(40)}` }) })
    expect(statuses(await preflight(`https://${host}/work`, generous)).pay_to_consistent).toBe('fail')
    const other = town.provider({}, { payTo: `0x${'3'.repeat(40)}` })
    expect((await preflight(`https://${other}/work`, generous)).verdict).toBe('STOP')
  })

  test('stops when one network has two payees in a quote, or the registry names another', async () => {
    const [offer] = quoteOf().accepts
    const torn = { x402Version: 2, accepts: [offer, { ...offer, payTo: `0x${'5'.repeat(40)}` }] }
    const host = town.provider({ '/work': town.json(torn, 402) })
    expect(statuses(await preflight(`https://${host}/work`, generous)).pay_to_consistent).toBe('fail')

    const listed = town.provider()
    const item = {
      resource: `https://${listed}/work`,
      accepts: quoteOf('10000', `0x${'6'.repeat(40)}`).accepts,
    }
    town.internet.web.site('registry.example.net', '/x402/search', town.json({ items: [item] }))
    const answer = await town.ask('pre_spend_preflight', { need: 'listed-need', ...generous })
    expect(statuses(answer).pay_to_consistent).toBe('fail')
    // Whoever slanders a seller in a registry is seen beside the payee of the seller's own quote.
    expect(answer.checks).toContainEqual(
      expect.objectContaining({
        id: 'pay_to_consistent',
        detail: expect.stringContaining(
          `The registry names another payee, 0x${'6'.repeat(40)}, than the quote does, ${offer?.payTo}.`,
        ),
      }),
    )
    town.internet.web.site('registry.example.net', '/x402/search', town.json({ items: [] }))
  })

  test('counts the dearest offer, and knows no price when one cannot be compared', async () => {
    const [offer] = quoteOf().accepts
    const ask = async (more: object) => {
      const onPolygon = { network: 'eip155:137', asset: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359' }
      const accepts = [offer, { ...offer, ...onPolygon, ...more }]
      const host = town.provider({ '/work': town.json({ x402Version: 2, accepts }, 402) })
      return statuses(await preflight(`https://${host}/work`, generous))
    }
    expect(await ask({ amount: '50000' })).toMatchObject({ price_within_max: 'pass' })
    expect(await ask({ amount: '50001' })).toMatchObject({ price_within_max: 'fail' })
    expect(await ask({ asset: `0x${'7'.repeat(40)}`, extra: { name: 'Other' } })).toMatchObject({
      price_known: 'unknown',
      price_within_max: 'unknown',
    })
  })

  test('holds while any of several terms is not accepted', async () => {
    const host = town.provider({}, { termsOfService: 'https://example.com/terms' })
    const rights = async (accepted_licenses: string[]) =>
      statuses(await preflight(`https://${host}/work`, { ...generous, accepted_licenses })).commercial_rights
    expect(await rights(['MIT'])).toBe('unknown')
    expect(await rights(['mit', 'https://example.com/terms'])).toBe('pass')
  })

  test('holds when the payee is not the one seen before', async () => {
    const host = town.provider()
    await probed(host, { pay_to: `0x${'9'.repeat(40)}` })
    expect(await preflight(`https://${host}/work`, generous)).toMatchObject({
      verdict: 'HOLD',
      reason_codes: ['pay_to_unchanged_failed'],
    })
  })

  test('reads quotes of version 1 in the body and of version 2 in the header', async () => {
    const [offer] = quoteOf().accepts
    const { amount, ...rest } = offer ?? { amount: '' }
    const v1 = { x402Version: 1, accepts: [{ ...rest, network: 'base', maxAmountRequired: amount }] }
    const inBody = town.provider({ '/work': town.json(v1, 402) })
    expect(statuses(await preflight(`https://${inBody}/work`, generous))).toMatchObject({
      quote_valid: 'pass',
      price_known: 'pass',
    })
    const header = Buffer.from(JSON.stringify(quoteOf())).toString('base64')
    const inHeader = town.provider({ '/work': town.json({}, 402, { 'payment-required': header }) })
    expect(statuses(await preflight(`https://${inHeader}/work`, generous))).toMatchObject({
      quote_valid: 'pass',
      price_known: 'pass',
    })
  })

  test.each([
    ['an expired quote', { ...quoteOf(), expiresAt: '2020-01-01T00:00:00Z' }],
    ['no offer', { x402Version: 2, accepts: [] }],
    [
      'an amount that is no integer',
      { x402Version: 2, accepts: [{ ...quoteOf().accepts[0], amount: '0.01' }] },
    ],
    ['no payee', { x402Version: 2, accepts: [{ ...quoteOf().accepts[0], payTo: '' }] }],
    ['something else', { hello: 1 }],
  ])('stops at a 402 with %s', async (_, body) => {
    const host = town.provider({ '/work': town.json(body, 402) })
    expect(statuses(await preflight(`https://${host}/work`, generous)).quote_valid).toBe('fail')
  })

  test('stops when terms forbid commercial use', async () => {
    for (const license of ['CC-BY-NC-4.0', 'https://creativecommons.org/licenses/by-nc/4.0/']) {
      const host = town.provider({}, { license })
      const accepted = { ...generous, accepted_licenses: [license] }
      expect(statuses(await preflight(`https://${host}/work`, accepted)).commercial_rights).toBe('fail')
    }
  })

  test('never sends anything but GET to the candidate', async () => {
    const host = town.provider()
    await preflight(`https://${host}/work`, generous)
    const visits = town.internet.web.visits.filter(visit => visit.host === host)
    expect(visits.length).toBeGreaterThan(2)
    expect(new Set(visits.map(({ method }) => method))).toEqual(new Set(['GET']))
    expect(visits.every(({ headers }) => headers.authorization === undefined)).toBe(true)
  })
})

describe('hostile candidates', () => {
  test.each([
    '127.0.0.1',
    'https://127.0.0.1/a',
    'https://10.0.0.8/',
    'https://169.254.169.254/latest/meta-data',
    'https://metadata.google.internal/',
    'http://localhost:6379/',
    'https://192.168.1.1/a2a',
  ])('%s is STOP unsafe_destination, without a socket', async address => {
    const before = town.internet.web.visits.length
    const answer = await preflight(address, generous)
    expect(answer).toMatchObject({ verdict: 'STOP', reason_code: 'unsafe_destination' })
    expect(town.internet.web.visits).toHaveLength(before)
  })

  test('a redirect to a private address stops', async () => {
    const host = town.provider({
      '/work': { status: 302, headers: { location: 'http://10.0.0.1/' }, body: '' },
    })
    expect(await preflight(`https://${host}/work`, generous)).toMatchObject({
      verdict: 'STOP',
      reason_code: 'unsafe_destination',
    })
  })

  test('a redirect to another origin stops', async () => {
    const host = town.provider({
      '/work': { status: 302, headers: { location: 'https://example.com/' }, body: '' },
    })
    expect((await preflight(`https://${host}/work`, generous)).verdict).toBe('STOP')
  })

  test.each([
    ['a card that is no JSON', { body: '<html>' }],
    ['a card that is an array', { body: '[]' }],
    ['a card without interfaces', { body: JSON.stringify({ name: 'x' }) }],
    ['a huge card', { body: JSON.stringify(cardAt('x', { filler: 'x'.repeat(300_000) })) }],
    ['a card with an interface elsewhere', { body: JSON.stringify(cardAt('evil.example.org')) }],
  ])('%s is not valid', async (_, page) => {
    const host = town.provider({
      '/.well-known/agent-card.json': { headers: { 'content-type': 'application/json' }, ...page },
    })
    const answer = await preflight(`https://${host}/work`, generous)
    expect(answer.verdict).toBe('STOP')
    expect(statuses(answer).card_valid).toBe('fail')
  })

  test('a compressed card is read, and one that bursts is not valid', async () => {
    const packed = (card: object) => ({
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body: gzipSync(JSON.stringify(card)),
    })
    const ask = async (more: object) => {
      const host = town.provider()
      town.internet.web.site(host, '/.well-known/agent-card.json', packed(cardAt(host, more)))
      return statuses(await preflight(`https://${host}/work`, generous)).card_valid
    }
    expect(await ask({})).toBe('pass')
    expect(await ask({ filler: 'x'.repeat(20_000_000) })).toBe('fail')
  })

  test('a candidate that hangs holds or stops in bounded time, and never goes', async () => {
    const hang = () => {}
    const host = town.provider({
      '/.well-known/agent-card.json': hang,
      '/work': hang,
      '/.well-known/x402': hang,
    })
    const answer = await preflight(`https://${host}/work`, generous)
    expect(answer.verdict).not.toBe('GO')
    expect(statuses(answer)).toMatchObject({ destination_safe: 'unknown', card_valid: 'unknown' })
  })

  test('a host that does not exist never goes', async () => {
    expect((await preflight('https://nowhere.example.org/', generous)).verdict).toBe('STOP')
  })
})

describe('bad input', () => {
  test.each([
    ['an empty need', { need: ' ' }, 'need'],
    ['a need of 129 characters', { need: 'x'.repeat(129) }, 'need'],
    ['a control character', { need: 'a\u0007b' }, 'need'],
    ['a line break at the end', { need: 'translation\n' }, 'need'],
    ['a mark that turns the text', { need: 'a\u202eb' }, 'need'],
    ['a candidate with a space', { need: 'a', candidate_identifier: 'a b' }, 'candidate_identifier'],
    ['a script', { need: 'a', candidate_identifier: 'javascript:alert' }, 'candidate_identifier'],
    ['an over-long candidate', { need: 'a', candidate_identifier: 'x'.repeat(241) }, 'candidate_identifier'],
    ['an unknown field', { need: 'a', nonsense: 1 }, 'nonsense'],
    ['a max_cost in words', { need: 'a', max_cost: 'ten' }, 'max_cost'],
  ])('%s is refused by name', async (_, input, path) => {
    const refusal = await refused(town.ask('pre_spend_preflight', input))
    expect(refusal).toMatchObject({ code: 'invalid_input', issues: [{ path }] })
  })
})

describe('without a candidate', () => {
  test('nobody is found: STOP, or HOLD while a registry is silent', async () => {
    const answer = await town.ask('pre_spend_preflight', { need: 'a-need-nobody-meets' })
    expect(answer).toMatchObject({ verdict: 'STOP', reason_code: 'no_eligible_candidate', candidate: null })
    town.internet.web.site('registry.example.net', '/mcp/v0.1/servers', { status: 503, body: 'down' })
    const partial = await town.ask('pre_spend_preflight', { need: 'another-need' })
    expect(partial).toMatchObject({ verdict: 'HOLD', partial: true, reason_code: 'discovery_unavailable' })
  })

  test('members and registries are checked, the best first', async () => {
    const host = town.provider()
    await probed(host)
    town.internet.web.site(
      'registry.example.net',
      '/x402/search',
      town.json({
        items: [
          {
            resource: `https://${host}/work`,
            x402Version: 2,
            accepts: quoteOf().accepts,
            termsUrl: 'https://example.com/terms',
          },
        ],
      }),
    )
    await town.ask('join_svc', {
      external_id: 'member.example.com',
      name: 'Member',
      capabilities: ['summaries'],
      agent_card_url: `https://${town.provider({}, { license: 'CC-BY-NC-4.0' })}/.well-known/agent-card.json`,
    })
    const answer = await town.ask('pre_spend_preflight', { need: 'summaries', ...generous })
    expect(answer.assessed).toMatchObject([{ source: 'x402_bazaar' }, { source: 'members', verdict: 'STOP' }])
    expect(answer.candidate).toMatchObject({ identifier: `https://${host}/work` })
  })
})

test('the policy of the operator stands in for what a request does not say', async () => {
  const own = await startTown({ max_cost_usd: '0.05', budget_usd: '1', accepted_licenses: ['mit'] })
  const host = own.provider()
  const at = new Date().toISOString()
  await probesIn(own.world.ports.store as never).put({
    id: 'p',
    target: `https://${host}/work`,
    status: 'callable',
    failure_class: null,
    proof_digest: 'sha256:0',
    card_digest: null,
    pay_to: null,
    at,
  })
  const input = { need: 'translation', candidate_identifier: `https://${host}/work` }
  expect(await own.ask('pre_spend_preflight', input)).toMatchObject({ verdict: 'GO' })
  expect(await own.ask('pre_spend_preflight', { ...input, max_cost: '0.001' })).toMatchObject({
    verdict: 'STOP',
  })
  await own.stop()
})
