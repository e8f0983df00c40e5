import { expect, test } from 'vitest'
import { logCall, logFault, openLog } from '../mcp/kernel/log.ts'

const call = (tool: string) =>
  ({
    service: 'cat',
    tool,
    channel: 'rest',
    caller: undefined,
    price: undefined,
    receipt: undefined,
    ms: 1,
    code: 'ok',
  }) as const

const open = () => {
  const writes: string[] = []
  const log = openLog('info', { write: text => void writes.push(text) })
  const lines = () =>
    writes
      .join('')
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as { msg: string; tool?: string })
  return { log, writes, lines }
}

test('lines of calls go out together, and a fault keeps its place among them', () => {
  const { log, writes, lines } = open()
  for (const tool of ['a', 'b']) logCall(log, call(tool))
  expect(writes).toEqual([])
  logFault(log, { job: 'sweep' }, new Error('no'))
  logCall(log, call('c'))
  log.close()
  expect(lines().map(({ msg, tool }) => tool ?? msg)).toEqual(['a', 'b', 'fault', 'c'])
})

test('no more than some kilobytes wait, and none after a flush', () => {
  const { log, writes, lines } = open()
  for (let nth = 0; nth < 1000; nth++) logCall(log, call(`t${nth}`))
  expect(writes.length).toBeGreaterThan(5)
  const isFlushed = new Promise<void>(done => log.flush(() => done()))
  expect(lines()).toHaveLength(1000)
  log.close()
  return isFlushed
})

test('writes no line of a call where the level is above it', () => {
  const writes: string[] = []
  const log = openLog('warn', { write: text => void writes.push(text) })
  logCall(log, call('a'))
  log.close()
  expect(writes).toEqual([])
})
