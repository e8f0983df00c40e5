import { afterEach, beforeEach, expect, test } from 'vitest'
import type { AnyTool } from '../../../mcp/kernel/tool.ts'
import guestbook from '../../../mcp/services/cat/guestbook.ts'
import sign from '../../../mcp/services/cat/sign.ts'
import { asker } from '../../call/fixture.ts'
import { openTestWorld, type TestWorld } from '../../world.ts'

let world: TestWorld
beforeEach(async () => {
  world = await openTestWorld()
})
afterEach(() => world.stop())

let clients = 0
const signed = (name: string, note: string) =>
  asker(world, sign as AnyTool)({ input: { name, note }, client: `client ${clients++}` })
const book = async (input: object = {}) => {
  const answer = await asker(world, guestbook as AnyTool)({ input })
  return 'output' in answer
    ? (answer.output as {
        count: number
        next: string | null
        signatures: { name: string; note: string; number: number }[]
      })
    : answer
}

test.each([
  ['100 characters', 'x'.repeat(100)],
  ['100 emoji of two code units', '😺'.repeat(100)],
  ['100 letters that NFC makes of 200 code points', 'e\u0301'.repeat(100)],
  ['nothing', ''],
  ['a family that joiners hold together', '👩‍👩‍👧'],
])('takes a note of %s, and keeps it as it was written', async (_, note) => {
  expect(await signed('Ada', note)).toMatchObject({ output: { number: 1, note, untrusted: true } })
  expect(await book()).toMatchObject({ count: 1, signatures: [{ name: 'Ada', note }], untrusted: true })
})

test.each([
  ['a note of 101 characters', 'Ada', 'x'.repeat(101), 'note'],
  ['a note of 101 emoji', 'Ada', '😺'.repeat(101), 'note'],
  ['an empty name', '', 'hi', 'name'],
  ['a blank name', ' \u00a0 ', 'hi', 'name'],
  ['a name of 61 characters', 'x'.repeat(61), 'hi', 'name'],
  ['a line break', 'Ada', 'one\ntwo', 'note'],
  ['a control character', 'A\u0007da', 'hi', 'name'],
  ['a NUL', 'Ada', '\u0000', 'note'],
  ['a text direction override', 'Ada', '\u202egnp.exe', 'note'],
  ['half a surrogate pair', 'Ada', '\ud83d', 'note'],
])('refuses %s, names the field and stores nothing', async (_, name, note, path) => {
  expect(await signed(name, note)).toMatchObject({ code: 'invalid_input', issues: [{ path }] })
  expect(await book()).toMatchObject({ count: 0, signatures: [] })
})

test('numbers signatures without gaps when many sign at once', async () => {
  await Promise.all(Array.from({ length: 25 }, (_, n) => signed(`signer ${n}`, '')))
  const page = await book({ limit: 100 })
  expect('signatures' in page && page.signatures.map(({ number }) => number)).toEqual(
    Array.from({ length: 25 }, (_, n) => 25 - n),
  )
})

test('lists newest first, a page at a time, also while others sign', async () => {
  for (const name of ['a', 'b', 'c']) await signed(name, '')
  const first = await book({ limit: 2 })
  if (!('signatures' in first)) throw new Error('no page')
  await signed('d', '')
  const second = await book({ limit: 2, after: first.next ?? '' })
  const names = (page: typeof second) => ('signatures' in page ? page.signatures.map(({ name }) => name) : [])
  expect([names(first), names(second)]).toEqual([['c', 'b'], ['a']])
  expect(second).toMatchObject({ count: 4, next: null })
})

test('a cursor that is none is refused by name', async () => {
  expect(await book({ after: 'nonsense' })).toMatchObject({
    code: 'invalid_input',
    issues: [{ path: 'after' }],
  })
})

test('there is no way to change or remove a signature', async () => {
  const { default: cat } = await import('../../../mcp/services/cat/service.ts')
  const writers = cat.tools.filter(({ hints }) => !hints.readOnly).map(({ name }) => name)
  expect(writers).toEqual(['feed', 'feed_testnet', 'claim_tip', 'sign'])
})
