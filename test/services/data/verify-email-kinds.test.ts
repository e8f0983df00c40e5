import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Entry } from '../../internet/zone.ts'
import { startData } from './run.ts'

let data: Awaited<ReturnType<typeof startData>>
beforeAll(async () => {
  data = await startData()
})
afterAll(() => data.stop())

const check = (email: string) => data.ask('verify-email', { email })
const publish = (name: string, entry: Entry) => data.internet.dns.zone.set(name, entry)
const mx = (...hosts: string[]) => ({
  MX: hosts.map((exchange, i) => ({ preference: 10 * (i + 1), exchange })),
})

const here = { A: ['93.184.216.34'] }

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
      disposableAs,
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
      roleName,
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
