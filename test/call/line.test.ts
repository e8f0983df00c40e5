import { pino } from 'pino'
import { expect, test } from 'vitest'
import type { CallRecord } from '../../mcp/kernel/call.ts'
import { callLine, isoTime } from '../../mcp/kernel/call-line.ts'

/** The same line as the logger would write it. */
const byLogger = ({ ms, price, ...entry }: CallRecord): unknown => {
  let text = ''
  const log = pino(
    { base: null, timestamp: false, formatters: { level: label => ({ level: label }) } },
    {
      write(line) {
        text += line
      },
    },
  )
  log.info(
    {
      ...entry,
      ...(price && { price: `${price.amount} ${price.unit}` }),
      ms: Math.round(ms * 100) / 100,
    },
    'call',
  )
  return text
}

const withoutTime = (line: string): string => line.replace(/"time":"[^"]*",/, '')

const whole: CallRecord = {
  service: 'cat',
  tool: 'pet',
  channel: 'rest',
  caller: undefined,
  price: { amount: '0.10', unit: 'usd' },
  receipt: undefined,
  ms: 1.23456,
  code: 'ok',
}

test.each<Partial<CallRecord>>([
  {},
  { caller: 'brk:7' },
  { caller: 'did:"\\\n\u2028\ud800 {}' },
  { receipt: 'rcp_1', code: 'conflict', ref: 'r-1' },
  { price: undefined, ms: 0 },
  { ms: 12_345.678, channel: 'a2a', tool: 'send' },
])('is, to the letter, what the logger writes of %o', part => {
  const entry = { ...whole, ...part }
  expect(withoutTime(callLine(entry))).toBe(byLogger(entry))
})

test('tells the time as a Date does, within a second and across many', () => {
  for (let nth = 0; nth < 20_000; nth++) {
    const at = nth % 3 === 0 ? Math.floor(Math.random() * 4e12) : 1_800_000_000_000 + nth * 7
    expect(isoTime(at)).toBe(new Date(at).toISOString())
  }
})
