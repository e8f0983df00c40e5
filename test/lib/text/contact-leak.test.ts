import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findContactLeaks, scoreContacts } from '../../../mcp/lib/text/contact-leak.ts'

type Case = { set: string; isContact: boolean; text: string }

/**
 * Texts of traders that hold nothing to be reached by, and such that tell how to reach their writers. Of the later sets each was written
 * without a look at the rules: right at first sight were 87, 77, 92, 84, 88, 91, 91, 92 and 96 % of those to be caught, and 95 to 100 % of
 * the ordinary ones.
 */
const cases: readonly Case[] = readFileSync(new URL('./contact-cases.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map(line => JSON.parse(line) as Case)

const textsOf = (set: string, isContact: boolean): readonly string[] =>
  cases.filter(each => each.set === set && each.isContact === isContact).map(({ text }) => text)

const inTags = (text: string) =>
  Array.from(text, one => String.fromCodePoint(0xe0000 + (one.codePointAt(0) ?? 0))).join('')

const kinds = (text: string) => [...new Set(findContactLeaks(text).map(({ kind }) => kind))]

describe('contact details are found', () => {
  test.each([
    ['Write to ada@agents.dev', 'email'],
    ['ada (at) agents (dot) dev', 'email'],
    ['ada at agents dot dev', 'email'],
    ['ada [at] agents.dev please', 'email'],
    ['ａｄａ＠ａｇｅｎｔｓ．ｄｅｖ', 'email'],
    ['a\u200bda@agents.dev', 'email'],
    ['ad\u180ea@exam\u180eple.com', 'email'],
    ['ada\u3164@agents\u034f.dev', 'email'],
    ['a\u00add\u2060a@ag\ufe0fents.dev', 'email'],
    ['ad\u{e0001}a@agents.\u{e01ef}dev', 'email'],
    ['ad\u202ea@agents.dev', 'email'],
    ['ada@agents\u0332.dev', 'email'],
    ['ada@agents。dev', 'email'],
    ['ada⠀@⠀agents.dev', 'email'],
    [`Good work${inTags('ada@agents.dev')}`, 'email'],
    [`Good${[...'ada@agents.dev'].map(one => `x${inTags(one)}`).join('')}`, 'email'],
    [`Good work${inTags('secret')}`, 'hidden'],
    [`Good work${'\u200b\u200c'.repeat(40)}`, 'hidden'],
    ['look at ag\u180eents.dev', 'url'],
    ['call +32 2\u2063 555 12 12', 'phone'],
    ['ping @ada\u{e0020}_lovelace', 'handle'],
    ['see https://agents.dev/me', 'url'],
    ['www.agents.dev has it', 'url'],
    ['look at agents.dev', 'url'],
    ['agents dot com', 'url'],
    ['ftp://files.agents.dev/x', 'url'],
    ['reach 10.1.2.3:8080', 'url'],
    ['call +32 2 555 12 12', 'phone'],
    ['call (202) 555-0143 now', 'phone'],
    ['+14155550132', 'phone'],
    ['ping @ada_lovelace', 'handle'],
    ['telegram: adalovelace', 'handle'],
  ])('%s', (text, kind) => expect(kinds(text)).toContain(kind))
})

describe('ordinary texts are left alone', () => {
  test.each([
    'Delivery on 2026-11-21 at 14:30, 3 revisions.',
    'Up to 1000000000 rows, 1 000 000 of them free.',
    'A README.md, a main.rs and a setup.py.',
    'Price 12.50 USD, 99.9 % uptime, version 1.2.3.',
    'I work with Node.js and Vue.js.',
    'Meet me at noon, dot the i.',
    'Build a Discord bot.',
    'Refund within 14 days; e.g. when it fails.',
    'ISO 27001:2022 and RFC 9110, 2024/12/31.',
    'Les données sont livrées à l’été, naïvement.',
    'می\u200cخواهم 👩‍👩‍👧 ❤️ 🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
    '\ufeffA copied text\u00ad with a\u200b slip.',
    'SHA-256 0123456789abcdef0123456789abcdef',
  ])('%s', text => expect(findContactLeaks(text)).toEqual([]))
})

const isCaught = (text: string): boolean => findContactLeaks(text).length > 0
const share = (texts: readonly string[], isRight: (text: string) => boolean): number =>
  texts.filter(isRight).length / texts.length

describe.each([
  ['200 labelled texts', 'labelled', [100, 100]],
  ['260 texts that were written after the rules', 'held-out', [130, 130]],
  ['398 texts by class of evasion', 'evasions', [180, 218]],
  ['1682 texts of eight later sets', 'later', [846, 836]],
  ['217 texts that nothing was tuned with', 'last', [113, 104]],
])('of %s', (_, set, sizes) => {
  const ordinary = textsOf(set, false)
  const contacts = textsOf(set, true)

  test('both halves are whole', () => expect([ordinary.length, contacts.length]).toEqual(sizes))
  test('at least 95 % of the ordinary ones pass', () =>
    expect(share(ordinary, text => !isCaught(text))).toBeGreaterThanOrEqual(0.95))
  test('at least 95 % of those with contact details are caught', () =>
    expect(share(contacts, isCaught)).toBeGreaterThanOrEqual(0.95))
})

test('what is found has a score, and the same site is worth more when it is offered', () => {
  const score = (text: string) => Math.max(0, ...scoreContacts(text).map(({ score }) => score))
  expect(score('Prices from shop.example')).toBeLessThan(1)
  expect(score('shop.example')).toBeGreaterThanOrEqual(1)
  expect(score('Visit us at shop.example')).toBeGreaterThan(score('shop.example'))
})

test('long hostile texts are read to the end, and whatever is written, nothing is thrown', () => {
  for (const piece of [
    'a.',
    '1 ',
    '@',
    'a at ',
    '(dot) ',
    '+1-',
    'a@',
    'https://',
    '\u200b',
    'dot ',
    '0a',
    'x x ',
    'prices of ',
  ])
    expect(findContactLeaks(piece.repeat(Math.ceil(10_000 / piece.length)))).toBeInstanceOf(Array)
  fc.assert(fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), text => void findContactLeaks(text)))
})
