import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestWorld, type TestWorld } from '../world.ts'
import { lab, openGate } from './fixture.ts'
import { type Served, serveMcp } from './serve.ts'
import { callTool, eras } from './wire.ts'

const gate = openGate()
let world: TestWorld
let served: Served
beforeAll(async () => {
  world = await openTestWorld({ gate })
  served = await serveMcp(world, [lab])
})
afterAll(async () => {
  await served.stop()
  await world.stop()
})

const quote = {
  x402Version: 2,
  error: 'Payment required',
  resource: { url: expect.stringMatching(/^mcp:\/\/tool\//) },
  accepts: [expect.objectContaining({ scheme: 'exact' })],
}

describe.each(eras)('in the era of %s', era => {
  const direct = (meta = {}) => callTool(`${served.url}/lab/mcp`, era, 'paid', { text: 'a' }, { meta })
  const bundled = (meta = {}) =>
    callTool(`${served.url}/mcp`, era, 'call_tool', { name: 'lab_paid', arguments: { text: 'a' } }, { meta })

  test.each([
    ['by itself', direct, 'paid'],
    ['through the bundle', bundled, 'lab_paid'],
  ])(
    'an unpaid call %s answers with the price and the name as listed, in both channels',
    async (_, call, name) => {
      const { status, result } = await call()
      expect(status).toBe(200)
      expect(result.isError).toBe(true)
      expect(result.structuredContent).toEqual(quote)
      expect(result.structuredContent).toMatchObject({ resource: { url: `mcp://tool/${name}` } })
      expect(JSON.parse(result.content[0]?.text ?? '')).toEqual(result.structuredContent)
    },
  )

  test.each([
    ['by itself', direct, 'paid'],
    ['through the bundle', bundled, 'lab_paid'],
  ])('a paid call %s answers with the result and the receipt', async (_, call, name) => {
    const { result } = await call({ 'x402/payment': { good: true } })
    expect(result.isError).toBeUndefined()
    expect(result.structuredContent).toEqual({ text: 'a' })
    expect(result._meta?.['x402/payment-response']).toEqual({
      success: true,
      transaction: '0xabc',
      network: 'eip155:8453',
      payer: '0xpayer',
      receipt: 'r1',
      method: 'test',
    })
    expect(gate.asked.at(-1)).toEqual({ resource: `mcp://tool/${name}`, payment: { good: true } })
  })

  test('a bearer key is the same caller by itself and through the bundle', async () => {
    const headers = { authorization: 'Bearer good' }
    const own = await callTool(`${served.url}/lab/mcp`, era, 'whoami', {}, { headers })
    const inner = await callTool(`${served.url}/mcp`, era, 'call_tool', { name: 'lab_whoami' }, { headers })
    expect([own, inner].map(({ result }) => result.structuredContent)).toEqual([{ id: 'ada' }, { id: 'ada' }])
  })

  test('a wrong input is refused before any money is asked for', async () => {
    const before = gate.asked.length
    const { result } = await callTool(`${served.url}/lab/mcp`, era, 'paid', { text: 5 })
    expect(JSON.parse(result.content[0]?.text ?? '')).toMatchObject({ code: 'invalid_input' })
    expect(gate.asked.length).toBe(before)
  })
})
