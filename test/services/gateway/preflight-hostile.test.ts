import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { probesIn } from '../../../mcp/services/gateway/callability/history.ts'
import { cardAt, quoteOf, refused, startTown, statuses, type Town } from './town.ts'

let town: Town
beforeAll(async () => {
  town = await startTown()
})
afterAll(() => town.stop())

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
