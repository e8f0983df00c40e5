import { expect, test } from 'vitest'
import type { CallRecord } from '../mcp/kernel/call.ts'
import { logCall, openLog, scrub } from '../mcp/kernel/log.ts'

const logged = (entry: Partial<CallRecord>): Record<string, unknown> => {
  let text = ''
  const write = (line: string) => {
    text += line
  }
  const log = openLog('info', { write })
  logCall(log, {
    service: 'cat',
    tool: 'pet',
    channel: 'rest',
    caller: undefined,
    price: { amount: '0.10', unit: 'usd' },
    receipt: undefined,
    ms: 1.23456,
    code: 'ok',
    ...entry,
  })
  log.close()
  return JSON.parse(text)
}

test('one line says what was called, by whom, for how much, how long and how it ended', () => {
  expect(logged({ caller: 'brk:7' })).toMatchObject({
    level: 'info',
    msg: 'call',
    service: 'cat',
    tool: 'pet',
    channel: 'rest',
    caller: 'brk:7',
    price: '0.10 usd',
    ms: 1.23,
    code: 'ok',
  })
})

test('a failure of ours is logged with its reference and cause, without credentials', () => {
  const key = `brk_${'k'.repeat(43)}`
  const cause = Object.assign(new Error(`refused Bearer abc.def for ${key} at postgres://u:hunter2@db/x`), {
    headers: { authorization: 'Bearer abc.def' },
  })
  const line = JSON.stringify(logged({ code: 'internal', ref: 'r-1', cause }))
  expect(line).toContain('r-1')
  expect(line).toContain('refused')
  for (const secret of ['abc.def', key, 'hunter2']) expect(line).not.toContain(secret)
})

test.each([
  ['Authorization: Bearer a.b-c_d', 'a.b-c_d'],
  ['L402 AGIAJE:00ff', 'AGIAJE'],
  [`agent_${'A'.repeat(43)}`, 'AAAA'],
])('scrubs %s', (text, secret) => expect(scrub(text)).not.toContain(secret))
