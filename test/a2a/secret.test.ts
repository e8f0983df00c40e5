import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { refuseSecrets } from '../../a2a-adapter/wire/secret.ts'
import { openKeys } from '../../mcp/ports/keys/keys.ts'
import { opened } from '../opened.ts'
import { runs } from '../stress.ts'
import { fixture, fixtureGate } from './fixture.ts'
import { message03, message10, rpc, serve, v1 } from './serve.ts'

const served = opened(() => serve([fixture], { gate: fixtureGate() }))

const keys = openKeys(randomBytes(32))
const key = keys.make('gw')

describe('a message with a credential', () => {
  const held: [what: string, part: string | object][] = [
    ['a Bearer in text', 'dns-lookup Bearer abc.def-123'],
    ['a Bearer with a plain word', 'Authorization: Bearer sometoken'],
    ['a bearer in small letters', 'use bearer eyJhbGciOi1234567'],
    ['a key in text', `please use ${key} for this`],
    ['a key between quotes', `{"key":"${key}"}`],
    ['a Bearer in data', { skill: 'dns-lookup', domain: `Bearer ${key}` }],
    ['a key deep in data', { skill: 'manage', input: { list: [{ key }] } }],
    ['a key as a name in data', { skill: 'manage', input: { [key]: 1 } }],
    ['a key of one repeated letter', `gw_${'a'.repeat(43)}`],
  ]
  test.each(held)('is refused with -32602 and not repeated: %s', async (_, part) => {
    const before = served.world.records.length
    for (const [method, params, headers] of [
      ['SendMessage', message10([part]), v1],
      ['message/send', message03([part]), {}],
    ] as const) {
      const { body } = await served.post('/fixture/', rpc(method, params), headers)
      expect(body.error.code).toBe(-32602)
      expect(JSON.stringify(body)).not.toMatch(/abc\.def|sometoken|eyJ|gw_/)
    }
    expect(JSON.stringify(served.world.records)).not.toContain(key)
    expect(served.world.records.length).toBe(before)
  })

  test('is refused in a later message of a task, which does not keep it', async () => {
    const params = message10([{ skill: 'consult', question: 'why?' }])
    const { task } = (await served.post('/fixture/', rpc('SendMessage', params), v1)).body.result
    const more = message10([key], { taskId: task.id })
    expect((await served.post('/fixture/', rpc('SendMessage', more), v1)).body.error.code).toBe(-32602)
    const got = await served.post('/fixture/', rpc('GetTask', { id: task.id }), v1)
    expect(JSON.stringify(got.body)).not.toContain(key)
  })
})

const refused = (text: string): boolean => {
  try {
    refuseSecrets({ messageId: 'm', role: 'user', parts: [{ text }] })
    return false
  } catch {
    return true
  }
}

describe('a message without one', () => {
  test.each([
    'What does Bearer authentication mean?',
    'Will bearer shares be banned by 2030?',
    'The endpoint requires Bearer authentication.',
    'readability https://example.com/news_this-is-a-very-long-headline-about-something-that-matters',
    'https://en.wikipedia.org/wiki/List_of_Presidents_of_the_United_States_by_date_of_birth_in_1900',
    '0x833589fCD6eDb6E08f4c7C32D4f71b54bda02913',
    'tx-status 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b',
    'const this_is_a_very_long_constant_name_in_snake_case_that_somebody_wrote = 1',
  ])('passes: %s', text => {
    expect(refused(text)).toBe(false)
  })
})

test('every key this installation makes is recognised, wherever it stands', () => {
  const around = fc.constantFrom('', ' ', '"', '=', ':', '/', '\n', 'KEY_')
  fc.assert(
    fc.property(
      fc.constantFrom('gw', 'brk', 'proof', 'task', 'ally'),
      around,
      around,
      (prefix, before, after) => {
        expect(refused(`${before}${keys.make(prefix)}${after === 'KEY_' ? '' : after}`)).toBe(true)
      },
    ),
    { numRuns: runs(2_000) },
  )
})

test('signatures and digests pass, whatever they spell', () => {
  for (let nth = 0; nth < 20_000; nth++) {
    const text = randomBytes(nth % 2 ? 64 : 32).toString('base64url')
    expect(refused(JSON.stringify({ signature: text })), text).toBe(false)
  }
})

test('no text of 1 MiB makes the search hang', () => {
  const started = performance.now()
  for (const unit of ['bearer ', 'Bearer  ', 'a_', 'ab_', 'aa', 'Bearer ', 'ab_cd-', '_', 'bearer \t'])
    refused(unit.repeat((1 << 20) / unit.length))
  expect(performance.now() - started).toBeLessThan(8_000)
})
