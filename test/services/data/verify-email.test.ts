import { beforeAll, describe, expect, test } from 'vitest'
import type { Entry } from '../../internet/zone.ts'
import { opened } from '../../opened.ts'
import { refused, startData } from './run.ts'

const data = opened(startData)
const check = (email: string) => data.ask('verify-email', { email })
const publish = (name: string, entry: Entry) => data.internet.dns.zone.set(name, entry)

const mx = (...hosts: string[]) => ({
  MX: hosts.map((exchange, i) => ({ preference: 10 * (i + 1), exchange })),
})

const here = { A: ['93.184.216.34'] }

describe('verify-email', () => {
  test('tells in flat fields what is known of an address', async () => {
    expect(await check('Jo.Doe+news@Example.COM')).toMatchObject({
      skill: 'verify-email',
      input: 'Jo.Doe+news@Example.COM',
      email: 'Jo.Doe+news@Example.COM',
      normalized: 'jo.doe+news@example.com',
      local: 'Jo.Doe+news',
      domain: 'example.com',
      unicode: 'example.com',
      valid: true,
      verdict: 'deliverable_likely',
      score: 95,
      reasons: ['mx_found'],
      syntax: { valid: true, reason: null, detail: null },
      mx: {
        found: true,
        records: [
          { priority: 10, exchange: 'mx1.example.com' },
          { priority: 20, exchange: 'mx2.example.com' },
        ],
        count: 2,
        null_mx: false,
        implicit: false,
        provider: null,
      },
      disposable: false,
      role: false,
      role_name: null,
      free: false,
      relay: null,
      subaddress: 'news',
      suggestion: null,
      catch_all: null,
      smtp_checked: false,
      meta: { sources: [`dns:${data.internet.dns.server}`] },
    })
  })

  test('takes a malformed address for an answer, with what was probably meant', async () => {
    expect(await check('jo@gmial,com')).toMatchObject({
      email: 'jo@gmial,com',
      valid: false,
      verdict: 'undeliverable',
      score: 0,
      reasons: ['invalid_syntax', 'domain_character'],
      syntax: { valid: false, reason: 'domain_character', detail: 'The domain holds ",".' },
      local: 'jo',
      domain: 'gmial,com',
      normalized: null,
      mx: { found: null, records: [], null_mx: null, implicit: null },
      disposable: null,
      role: null,
      suggestion: 'jo@gmail.com',
      smtp_checked: false,
    })
  })

  test.each(['', '   ', 'x'.repeat(1001)])('refuses an empty or endless argument: %#', async email => {
    const error = await refused(check(email))
    expect(error.code).toBe('invalid_input')
    expect(error.toProblem().issues).toMatchObject([{ path: 'email' }])
  })
})

describe('mail servers', () => {
  test('that are none make an address undeliverable', async () => {
    const cases: [email: string, reason: string, more: object][] = [
      ['jo@null-mx.example.org', 'null_mx', { mx: { null_mx: true, found: false } }],
      ['jo@missing.example.com', 'domain_not_found', { mx: { found: false, null_mx: false } }],
      ['jo@text-only.example.net', 'no_mail_server', { mx: { found: false, implicit: false } }],
      ['jo@dead-mx.example.net', 'mx_unresolvable', { mx: { found: true, count: 1 } }],
      ['jo@inside-mx.example.net', 'mx_not_public', {}],
      ['jo@local-mx.example.net', 'mx_not_public', {}],
      ['jo@inside.example.net', 'mx_not_public', {}],
      ['jo@server.local', 'domain_not_found', {}],
      ['jo@[10.0.0.1]', 'mx_not_public', {}],
    ]
    publish('text-only.example.net', { TXT: ['hello'] })
    publish('dead-mx.example.net', mx('gone.example.net'))
    publish('inside-mx.example.net', mx('inner.example.net'))
    publish('inner.example.net', { A: ['10.0.0.9'] })
    publish('local-mx.example.net', mx('localhost'))
    publish('inside.example.net', { A: ['192.168.0.1'] })
    for (const [email, reason, more] of cases) {
      const found = await check(email)
      expect(found, email).toMatchObject({
        valid: false,
        syntax: { valid: true },
        verdict: 'undeliverable',
        score: 0,
        ...more,
      })
      expect((found.reasons as string[])[0], email).toBe(reason)
    }
  })

  test('may be the domain itself, with less trust', async () => {
    expect(await check('jo@host.example.com')).toMatchObject({
      verdict: 'risky',
      score: 60,
      reasons: ['implicit_mx'],
      mx: { found: false, implicit: true, count: 0 },
    })
  })

  test('that nobody tells of are unknown, never invalid', async () => {
    publish('half.example.net', mx('mx.silent.example.net'))
    publish('mx.silent.example.net', 'SERVFAIL')
    publish('no-a.example.net', (query, transport) => (transport === 'udp' ? [] : [query]))
    for (const email of [
      'jo@servfail.example.org',
      'jo@refused.example.org',
      'jo@silent.example.org',
      'jo@half.example.net',
      'jo@no-a.example.net',
    ])
      expect(await check(email), email).toMatchObject({
        valid: true,
        verdict: 'unknown',
        score: 50,
        reasons: ['dns_unavailable'],
        mx: { found: null, null_mx: null, implicit: null },
      })
  })

  test('are fine when one of several answers', async () => {
    publish('mixed-mx.example.net', mx('gone.example.net', 'mx.silent.example.net', 'mx1.example.com'))
    expect(await check('jo@mixed-mx.example.net')).toMatchObject({
      verdict: 'deliverable_likely',
      mx: { count: 3 },
    })
  })

  test('that are addresses or aliases are noticed', async () => {
    publish('ip-mx.example.net', mx('93.184.216.34'))
    publish('alias-mx.example.net', mx('alias.example.net'))
    publish('alias.example.net', { CNAME: ['mx1.example.com'] })
    expect(await check('jo@ip-mx.example.net')).toMatchObject({
      verdict: 'risky',
      reasons: ['mx_is_ip', 'mx_found'],
    })
    expect(await check('jo@alias-mx.example.net')).toMatchObject({
      verdict: 'deliverable_likely',
      score: 90,
      reasons: ['mx_is_alias', 'mx_found'],
    })
  })

  test('are listed to a limit, the preferred first', async () => {
    publish('crowd.example.net', {
      MX: Array.from({ length: 40 }, (_, i) => ({ preference: 100 - i, exchange: 'mx1.example.com' })),
    })
    const { mx: found } = (await check('jo@crowd.example.net')) as {
      mx: { records: { priority: number }[]; count: number }
    }
    expect(found.records).toHaveLength(20)
    expect(found.records[0]?.priority).toBe(61)
    expect(found.count).toBe(40)
    expect((await check('jo@crowd.example.net')).meta).toMatchObject({
      truncated: true,
      warnings: [{ code: 'mx_cut' }],
    })
  })

  test.each([
    ['aspmx.l.google.com', 'Google'],
    ['example-com.mail.protection.outlook.com', 'Microsoft'],
    ['in1-smtp.messagingengine.com', 'Fastmail'],
    ['mx1.hostinger.com', 'Hostinger'],
    ['mxa-001.pphosted.com', 'Proofpoint'],
    ['mx.notgoogle.com', null],
  ])('%s belongs to %s', async (exchange, provider) => {
    publish(exchange, here)
    publish('hosted.example.net', mx(exchange))
    const { normalized, mx: found } = (await check(`Jo.X+${exchange.length}@hosted.example.net`)) as {
      normalized: string
      mx: object
    }
    expect(found).toMatchObject({ provider })
    const keepsTag = provider === null || provider === 'Hostinger' || provider === 'Proofpoint'
    expect(normalized).toBe(
      keepsTag ? `jo.x+${exchange.length}@hosted.example.net` : 'jo.x@hosted.example.net',
    )
  })
})

describe('kinds of addresses', () => {
  beforeAll(() => {
    for (const name of [
      'gmail.com',
      'googlemail.com',
      'yahoo.com',
      'outlook.com',
      'proton.me',
      'gnail.com',
      'mailinator.com',
      'duck.com',
      'a.mailinator.com',
    ])
      publish(name, mx('mx1.example.com'))
  })

  test.each([
    ['jo@mailinator.com', 'mailinator.com'],
    ['jo@a.mailinator.com', 'mailinator.com'],
    ['jo@own-name.example.net', 'mailinator.com'],
    ['jo@other-name.example.net', 'temp-mail.io'],
  ])('%s is thrown away after use, as %s', async (email, disposableAs) => {
    publish('mail2.mailinator.com', here)
    publish('mx.temp-mail.io', here)
    publish('own-name.example.net', mx('mail2.mailinator.com'))
    publish('other-name.example.net', mx('mx.temp-mail.io'))
    expect(await check(email)).toMatchObject({
      disposable: true,
      disposable_as: disposableAs,
      verdict: 'risky',
      score: 10,
      reasons: ['disposable', 'mx_found'],
    })
  })

  test.each([
    ['support@example.com', 'support'],
    ['Support+eu@example.com', 'support'],
    ['abuse@example.com', 'abuse'],
    ['no-reply@example.com', 'no-reply'],
    ['kontakt@example.com', 'kontakt'],
  ])('%s stands for the task %s', async (email, roleName) => {
    expect(await check(email)).toMatchObject({
      role: true,
      role_name: roleName,
      verdict: 'risky',
      reasons: ['role_account', 'mx_found'],
    })
  })

  test('some stand for people at free providers, or hand mail on', async () => {
    expect(await check('jo.mustermann@gmail.com')).toMatchObject({
      free: true,
      verdict: 'deliverable_likely',
    })
    expect(await check('jo@example.com')).toMatchObject({ free: false, role: false })
    expect(await check('jo@duck.com')).toMatchObject({
      relay: 'DuckDuckGo',
      disposable: false,
      score: 85,
      reasons: ['forwarding_alias', 'mx_found'],
    })
  })

  test.each([
    ['J.o.Muster+x@GoogleMail.com', 'jomuster@gmail.com', 'x'],
    ['jo-shop@yahoo.com', 'jo@yahoo.com', 'shop'],
    ['jo+a+b@outlook.com', 'jo@outlook.com', 'a+b'],
    ['J.O-x_y@proton.me', 'joxy@proton.me', null],
    ['"jo.muster"@gmail.com', 'jomuster@gmail.com', null],
    ['+jo@example.com', '+jo@example.com', null],
    ['Jo.X+tag@example.com', 'jo.x+tag@example.com', 'tag'],
  ])('%s ends in %s', async (email, normalized, subaddress) => {
    expect(await check(email)).toMatchObject({ normalized, subaddress })
  })

  test.each(['jo_x.muster@gmail.com', 'jo@gmail.com', '😀😀😀😀😀😀😀@gmail.com', 'jo!x@yahoo.com'])(
    '%s is a name that its provider does not give out',
    async email => {
      expect(await check(email)).toMatchObject({
        valid: true,
        verdict: 'risky',
        score: 15,
        reasons: expect.arrayContaining(['name_not_given_out']),
      })
    },
  )

  test('a likely slip is risky even where somebody takes the mail', async () => {
    expect(await check('jo.muster@gnail.com')).toMatchObject({
      verdict: 'risky',
      score: 40,
      suggestion: 'jo.muster@gmail.com',
      reasons: ['possible_typo', 'mx_found'],
    })
  })

  test('quoted, literal and international ones are valid, and rare', async () => {
    publish('例え.jp', { ...here, ...mx('mx1.example.com') })
    expect(await check('"jo doe"@example.com')).toMatchObject({
      valid: true,
      local: '"jo doe"',
      verdict: 'risky',
      reasons: ['quoted_local', 'mx_found'],
    })
    expect(await check('用户@例え.jp')).toMatchObject({
      valid: true,
      domain: 'xn--r8jz45g.jp',
      unicode: '例え.jp',
      normalized: '用户@xn--r8jz45g.jp',
      verdict: 'risky',
      reasons: ['needs_smtputf8', 'mx_found'],
    })
    expect(await check('jo@[93.184.216.34]')).toMatchObject({
      valid: true,
      domain: '[93.184.216.34]',
      verdict: 'risky',
      reasons: ['domain_literal'],
      mx: { found: null },
    })
  })
})
