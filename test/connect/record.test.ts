import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Ceiling, openPaymentRecord, recordFile } from '../../connect/record.ts'

const folder = () => mkdtempSync(join(tmpdir(), 'octagent-record-'))

const claimOf = (micros: bigint, wallet = '0xaa') => ({
  wallet,
  micros,
  call: 'call',
  tool: 'buy',
  server: 'http://127.0.0.1/mcp',
  version: 2 as const,
  accepted: {},
  resource: undefined,
  authorization: { to: '0xbb', value: String(micros), validAfter: '0', validBefore: '1', nonce: '0x01' },
})

const ceiling = (budget: bigint, more: Partial<Ceiling> = {}): Ceiling => ({
  budget,
  total: undefined,
  since: 0,
  ...more,
})

const isClaimed = (outcome: object) => 'id' in outcome

test('claims up to the budget and not beyond, also after a restart', () => {
  const dir = folder()
  const record = openPaymentRecord(dir)
  expect(isClaimed(record.claim(claimOf(60n), ceiling(100n)))).toBe(true)
  expect(record.claim(claimOf(60n), ceiling(100n))).toEqual({ over: 'budget', spent: 60n })
  record.close()
  const again = openPaymentRecord(dir)
  expect(again.claim(claimOf(60n), ceiling(100n))).toEqual({ over: 'budget', spent: 60n })
  expect(isClaimed(again.claim(claimOf(40n), ceiling(100n)))).toBe(true)
  expect(again.spent('0xaa', 0)).toEqual({ window: 100n, total: 100n })
  expect(statSync(recordFile(dir)).mode & 0o777).toBe(0o600)
})

test('counts what is claimed, refused or unanswered, and not what was never signed', () => {
  const record = openPaymentRecord(folder())
  const [one, two, three] = [1n, 2n, 4n].map(micros => record.claim(claimOf(micros), ceiling(100n)))
  if (!one || !two || !three || !('id' in one) || !('id' in two) || !('id' in three))
    throw new Error('claimed')
  record.mark(one.id, 'refused', { reason: 'no' })
  record.mark(two.id, 'unanswered')
  expect(record.spent('0xaa', 0).window).toBe(7n)
  record.mark(three.id, 'released')
  expect(record.spent('0xaa', 0).window).toBe(3n)
})

test('keeps a settled claim settled, whatever is said later', () => {
  const record = openPaymentRecord(folder())
  const claim = record.claim(claimOf(5n), ceiling(100n))
  if (!('id' in claim)) throw new Error('claimed')
  record.mark(claim.id, 'settled', { transaction: '0x1' })
  record.mark(claim.id, 'released')
  expect(record.rows()).toMatchObject([{ state: 'settled', transaction: '0x1' }])
  expect(record.spent('0xaa', 0).window).toBe(5n)
})

test('counts each wallet by itself', () => {
  const record = openPaymentRecord(folder())
  record.claim(claimOf(100n, '0xaa'), ceiling(100n))
  expect(isClaimed(record.claim(claimOf(100n, '0xcc'), ceiling(100n)))).toBe(true)
})

test('frees a budget a day later, and not when the clock is set back', () => {
  const clock = { now: Date.parse('2026-11-23T12:00:00Z') }
  const dir = folder()
  const record = openPaymentRecord(dir, () => clock.now)
  const day = 86_400_000
  const claim = () => isClaimed(record.claim(claimOf(100n), ceiling(100n, { since: clock.now - day })))
  expect(claim()).toBe(true)
  clock.now -= 5 * day
  expect(claim()).toBe(false)
  clock.now += 5 * day + day - 1
  expect(claim()).toBe(false)
  clock.now += 2
  expect(claim()).toBe(true)
})

test.each([1, 20, 200])('survives a last line that lacks %i bytes', missing => {
  const dir = folder()
  const record = openPaymentRecord(dir)
  record.claim(claimOf(10n), ceiling(100n))
  const whole = statSync(recordFile(dir)).size
  record.claim(claimOf(20n), ceiling(100n))
  record.close()
  truncateSync(recordFile(dir), statSync(recordFile(dir)).size - missing)
  expect(statSync(recordFile(dir)).size).toBeGreaterThan(whole)
  const again = openPaymentRecord(dir)
  // Of a line that is whole but for its end, the claim counts.
  expect(again.spent('0xaa', 0).window).toBe(10n)
  expect(isClaimed(again.claim(claimOf(30n), ceiling(100n)))).toBe(true)
  const counted = again.spent('0xaa', 0).window
  expect([40n, 60n]).toContain(counted)
  again.close()
  expect(openPaymentRecord(dir).spent('0xaa', 0).window).toBe(counted)
  expect(counted).toBe(missing === 1 ? 60n : 40n)
})

test('reads past lines that are no rows', () => {
  const dir = folder()
  const record = openPaymentRecord(dir)
  record.claim(claimOf(10n), ceiling(100n))
  appendFileSync(
    recordFile(dir),
    'null\n[]\n{"event":"claimed"}\n{"event":"settled","id":7}\n\u0000\n{"event":"cl',
  )
  expect(isClaimed(record.claim(claimOf(20n), ceiling(100n)))).toBe(true)
  expect(record.spent('0xaa', 0).window).toBe(30n)
})

test('refuses where its file was taken away while it runs', () => {
  const dir = folder()
  const record = openPaymentRecord(dir)
  record.claim(claimOf(10n), ceiling(100n))
  rmSync(recordFile(dir))
  expect(() => record.claim(claimOf(10n), ceiling(100n))).toThrow('does not hold what was written')
})

test('writes a claim before anything else', () => {
  const dir = folder()
  openPaymentRecord(dir).claim(claimOf(10n), ceiling(5n))
  const events = readFileSync(recordFile(dir), 'utf8').match(/"event":"\w+"/g)
  expect(events).toEqual(['"event":"claimed"', '"event":"released"'])
})
