import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { leaksIn } from '../../../mcp/services/broker/text/leak.ts'

const kinds = (text: string) => [...new Set(leaksIn(text).map(({ kind }) => kind))]

describe('contact details are found', () => {
  test.each([
    ['Write to ada@agents.dev', 'email'],
    ['ada (at) agents (dot) dev', 'email'],
    ['ada at agents dot dev', 'email'],
    ['ada [at] agents.dev please', 'email'],
    ['ａｄａ＠ａｇｅｎｔｓ．ｄｅｖ', 'email'],
    ['a\u200bda@agents.dev', 'email'],
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
    'SHA-256 0123456789abcdef0123456789abcdef',
  ])('%s', text => expect(leaksIn(text)).toEqual([]))
})

test('long hostile texts are read to the end, and whatever is written, nothing is thrown', () => {
  for (const piece of ['a.', '1 ', '@', 'a at ', '(dot) ', '+1-', 'a@', 'https://', '\u200b'])
    expect(leaksIn(piece.repeat(Math.ceil(10_000 / piece.length)))).toBeInstanceOf(Array)
  fc.assert(fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), text => void leaksIn(text)))
})
