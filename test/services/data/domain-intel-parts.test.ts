import { describe, expect, test } from 'vitest'
import { ToolError } from '../../../mcp/kernel/error.ts'
import { openParts } from '../../../mcp/services/data/intel/parts.ts'
import { codes, inDays, openIntel } from './domain-intel-world.ts'
import { refused } from './run.ts'

const { domain, intel, internet, registered } = openIntel()

describe('the registration', () => {
  test.each([
    ['new', -3, 'newly_registered'],
    ['young', -90, 'young'],
  ])('of a %s domain is told', async (label, days, code) => {
    const name = `${label}-one.com`
    internet().dns.zone.set(name, { TXT: ['v=spf1 -all'] })
    registered(name, inDays(days))
    const found = await intel(name)
    expect(found).toMatchObject({ registration: { registered: true, age_days: -days } })
    expect(codes(found)).toContain(code)
  })

  test('of a domain that is held or runs out is told', async () => {
    internet().dns.zone.set('held-one.com', { TXT: ['x'] })
    registered('held-one.com', inDays(-1000), {
      status: ['client hold'],
      events: [
        { eventAction: 'registration', eventDate: inDays(-1000) },
        { eventAction: 'expiration', eventDate: inDays(10) },
      ],
      secureDNS: { delegationSigned: false },
    })
    expect(codes(await intel('held-one.com'))).toEqual(
      expect.arrayContaining(['expiring', 'on_hold', 'no_dnssec']),
    )
  })

  test('of what nobody registered is told', async () => {
    internet().web.site('rdap.example.com', '/registry/domain/nobody-has-this.com', {
      status: 404,
      headers: { 'content-type': 'application/rdap+json' },
      body: '{"errorCode":404}',
    })
    const found = await intel('nobody-has-this.com')
    expect(found).toMatchObject({
      exists: false,
      resolves: false,
      web: null,
      registration: { registered: false },
    })
    expect(codes(found)).toEqual(expect.arrayContaining(['no_such_domain', 'not_registered']))
  })
})

describe('a part that fails', () => {
  test('leaves the others, and is unknown, not bad', async () => {
    const name = domain({ A: ['93.184.216.99'], TXT: ['v=spf1 -all'] })
    const found = await intel(name)
    expect(found).toMatchObject({ resolves: true, web: null, metadata: null })
    expect(found.parts['tech-detect']).toMatchObject({ ok: false, error: expect.any(String) })
    expect(found.parts['url-metadata']).toMatchObject({ ok: false })
    expect(found.parts['dns-lookup']).toMatchObject({ ok: true })
    expect(found.meta.warnings.map(({ code }) => code)).toContain('part_failed')
    expect(found.signals.map(({ code }) => code)).not.toContain('web_error')
  })

  test('is sorry, retryably, when nothing is known', async () => {
    for (const name of ['dead-one.io', '*.dead-one.io']) internet().dns.zone.set(name, 'SILENT')
    const error = await refused(intel('dead-one.io'))
    expect(error.toProblem()).toMatchObject({ code: 'upstream', retryable: true })
  })

  test('is given up when the time of all is over', async () => {
    const { run, states, failures } = openParts(20)
    const found = await Promise.all([
      run('quick', async () => 'done'),
      run('endless', () => new Promise(() => {})),
      run('broken', async () => {
        throw new ToolError('upstream', 'It is down.')
      }),
    ])
    expect(found).toEqual(['done', null, null])
    expect(states).toMatchObject({
      quick: { ok: true, error: null },
      endless: { ok: false, error: 'It was not done in time.' },
      broken: { ok: false, error: 'It is down.' },
    })
    expect(failures).toHaveLength(2)
  })
})

test('takes names under a public suffix of their own', async () => {
  internet().dns.zone.set('me.github.io', { TXT: ['x'] })
  expect(await intel('me.github.io')).toMatchObject({ registrable: 'github.io', exists: true })
})

test.each(['not a domain', '127.0.0.1', 'localhost'])('refuses %j', async name => {
  expect((await refused(intel(name))).code).toBe('invalid_input')
})
