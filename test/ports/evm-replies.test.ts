import { describe, expect, test } from 'vitest'
import { readRpcReply } from '../../mcp/ports/evm/reply.ts'

const reply = (error: object, { status = 200, method = 'eth_call' } = {}) =>
  readRpcReply(method, {
    status,
    text: JSON.stringify({ jsonrpc: '2.0', id: 1, error }),
    retryAfterMs: undefined,
  })

const reason = '0x08c379a0'

describe('an error of a node', () => {
  test.each([
    [{ code: 3, message: 'execution reverted: no', data: reason }, reason],
    [{ code: -32015, message: 'VM execution error.', data: `Reverted ${reason}` }, reason],
    [{ code: -32000, message: 'execution reverted' }, null],
    [{ code: -32603, message: 'execution reverted', data: { originalError: 1, data: reason } }, reason],
    [{ code: -32000, message: 'invalid opcode: opcode 0xfe not defined' }, null],
    [{ code: -32000, message: 'out of gas' }, null],
    [{ code: -32603, message: 'EVM error InvalidJump' }, null],
    [{ code: -32603, message: 'EVM error StackUnderflow' }, null],
    [{ code: -32000, message: 'stack limit reached 1024 (1023)' }, null],
    [{ code: -32000, message: 'execution aborted (timeout = 5s)' }, null],
    [{ code: -32000, message: 'return data out of bounds' }, null],
    [{ code: -32000, message: 'insufficient funds for gas * price + value' }, null],
    [{ code: -32003, message: 'Transaction reverted', data: '0x' }, '0x'],
  ])('is about the call: %j', (error, data) => {
    expect(reply(error)).toMatchObject({ kind: 'refused', error: { data } })
  })

  test.each([
    { code: -32601, message: 'the method eth_feeHistory does not exist/is not available' },
    { code: -32602, message: 'invalid argument 0: unknown block tag' },
    { code: -32000, message: 'header not found' },
    { code: -32000, message: 'missing trie node 1f2e3d (path ) state 0xabc is not available' },
    { code: 4444, message: 'pruned history unavailable' },
    { code: -39001, message: 'unknown block' },
    { code: -32004, message: 'Method not supported' },
  ])('is what another node may do: %j', error => {
    expect(reply(error, { method: 'eth_getBlockByNumber' })).toMatchObject({ kind: 'unable' })
  })

  test.each([
    { code: -32005, message: 'daily request count exceeded, request rate limited' },
    { code: 429, message: 'Your app has exceeded its compute units per second capacity' },
    { code: -32007, message: '50/second request limit reached' },
    { code: -32000, message: 'Too Many Requests' },
    { code: -32016, message: 'over rate limit' },
    { code: 35, message: 'quota reached: the method is not available on the free tier' },
  ])('is a limit that is reached: %j', error => {
    for (const status of [200, 400, 500])
      expect(reply(error, { status })).toMatchObject({ kind: 'failed', restMs: 30_000 })
  })

  test.each([
    { code: -32603, message: 'Internal error' },
    { code: -32000, message: 'context deadline exceeded' },
    { message: 'bad gateway' },
    {},
  ])('is a fault: %j', error => {
    expect(reply(error)).toMatchObject({ kind: 'failed', restMs: 5_000 })
  })

  test('may come with an HTTP status of its own', () => {
    expect(reply({ code: 3, message: 'execution reverted', data: reason }, { status: 400 })).toMatchObject({
      kind: 'refused',
    })
  })

  test('that is a revert is none where nothing runs', () => {
    expect(reply({ code: -32000, message: 'reverted' }, { method: 'eth_getBalance' })).toMatchObject({
      kind: 'failed',
    })
  })
})

describe('an answer', () => {
  const answer = (text: string, status = 200) =>
    readRpcReply('eth_blockNumber', { status, text, retryAfterMs: undefined })

  test.each(['', 'null', '[]', '[{"result":"0x1"}]', '"0x1"', '{}', '{"id":1}', '<html>', '{"error":null}'])(
    'that is no JSON-RPC is a fault: %s',
    text => expect(answer(text)).toMatchObject({ kind: 'failed' }),
  )

  test('may be null, and may have an error of null beside it', () => {
    expect(answer('{"result":null}')).toEqual({ kind: 'result', result: null })
    expect(answer('{"error":null,"result":"0x1"}')).toEqual({ kind: 'result', result: '0x1' })
  })

  test('with a bad status is none', () => {
    expect(answer('{"result":"0x1"}', 502)).toMatchObject({ kind: 'failed', why: 'HTTP 502' })
    expect(answer('{"result":"0x1"}', 302)).toMatchObject({ kind: 'failed', why: 'HTTP 302' })
  })
})
