import { expect, test } from 'vitest'
import { z } from 'zod'
import { PaymentRequired, ToolError } from '../../mcp/kernel/error.ts'
import { type AnyTool, free, tool, usd } from '../../mcp/kernel/tool.ts'
import type { Charge } from '../../mcp/payment/charge.ts'
import { opened } from '../opened.ts'
import { openTestWorld } from '../world.ts'
import { asker, counter, hints } from './fixture.ts'

const world = opened(openTestWorld)

const facts = {
  name: 'plain',
  title: 'Plain',
  description: 'A tool for tests.',
  input: z.object({ text: z.string().min(1).describe('Text') }),
  output: z.object({ echo: z.string() }),
  needs: [],
  price: free,
  hints,
  examples: [{ text: 'a' }],
} as const

const echo = (more: object = {}): AnyTool =>
  tool({ ...facts, ...more, examples: [{ text: 'a' }] }).run(async (_, { text }) => ({ echo: text }))

test('answers with the parsed output, and drops what the schema does not name', async () => {
  const loose = tool({ ...facts, examples: [{ text: 'a' }] }).run(async (_, { text }) => {
    const wide = { echo: text, secret: 'inner' }
    return wide
  })
  expect(await asker(world, loose)({ input: { text: 'hi' } })).toMatchObject({
    output: { echo: 'hi' },
    text: 'Plain',
  })
  expect(JSON.stringify(await asker(world, loose)({ input: { text: 'hi' } }))).not.toContain('inner')
})

test('names every wrong field and every unknown one', async () => {
  const problem = await asker(world, echo())({ input: { text: '', other: 1, more: 2 } })
  expect(problem).toMatchObject({ code: 'invalid_input', status: 422 })
  expect(
    (problem as unknown as { issues: { path: string }[] }).issues.map(({ path }) => path).sort(),
  ).toEqual(['more', 'other', 'text'])
})

test('refuses a tool whose port is not configured, and names the port', async () => {
  const needy = tool({ ...facts, needs: ['dns'], examples: [{ text: 'a' }] }).run(async (_, { text }) => ({
    echo: text,
  }))
  expect(await asker(world, needy)({ input: { text: 'hi' } })).toMatchObject({
    code: 'unavailable',
    detail: expect.stringContaining('"dns"'),
  })
})

test('keeps the message of a stranger to itself, and gives a reference into the log', async () => {
  const throwing = tool({ ...facts, examples: [{ text: 'a' }] }).run(async () => {
    throw new Error('password=hunter2')
  })
  const problem = (await asker(world, throwing)({ input: { text: 'hi' } })) as unknown as { ref: string }
  expect(problem).toMatchObject({ code: 'internal', ref: expect.any(String) })
  expect(JSON.stringify(problem)).not.toContain('hunter2')
  expect(world.records.at(-1)).toMatchObject({ code: 'internal', ref: problem.ref })
})

test('an answer that breaks its schema is internal', async () => {
  const wrong = tool({ ...facts, examples: [{ text: 'a' }] }).run(async () => ({ echo: 7 as never }))
  expect(await asker(world, wrong)({ input: { text: 'hi' } })).toMatchObject({ code: 'internal' })
})

test('a known credential is the caller; an unknown one is refused even where the public may come in', async () => {
  const ask = asker(world, counter())
  expect(await ask({ credentials: { bearer: 'ada' } })).toMatchObject({ output: { caller: 'fixture:ada' } })
  expect(await ask({ credentials: { bearer: 'typo' } })).toMatchObject({
    code: 'unauthenticated',
    status: 401,
    reason: 'key_unknown',
  })
  expect(await ask({ credentials: { erc8128: 'not read here' } })).toMatchObject({ output: { caller: null } })
})

test('a tool that asks who is calling refuses the public and says what to send', async () => {
  const ask = asker(world, counter({ auth: ['bearer'] }))
  expect(await ask()).toMatchObject({
    code: 'unauthenticated',
    reason: 'key_missing',
    hint: expect.stringContaining('Authorization: Bearer'),
  })
  expect(await ask({ credentials: { bearer: 'bob' } })).toMatchObject({ output: { caller: 'fixture:bob' } })
})

test('a priced tool without a payment rail never runs outside its free tier', async () => {
  let runs = 0
  const make = (more: object) =>
    tool({ ...facts, price: usd('0.01'), ...more, examples: [{ text: 'a' }] }).run(async (_, { text }) => {
      runs++
      return { echo: text }
    })
  const input = { text: 'hi' }
  expect(await asker(world, make({}))({ input })).toMatchObject({ code: 'unavailable' })
  expect(await asker(world, make({}))({ input, free: true })).toMatchObject({ code: 'unavailable' })
  expect(runs).toBe(0)
  const tier = { free: { channels: ['a2a'], flag: true, perMinute: 2 }, name: 'tiered' }
  const ask = asker(world, make(tier))
  expect(await ask({ input })).toMatchObject({ code: 'unavailable', hint: expect.stringContaining('free=1') })
  expect(await ask({ input, free: true })).toMatchObject({ output: { echo: 'hi' }, price: { amount: '0' } })
  expect(await ask({ input, channel: 'a2a' })).toMatchObject({ output: { echo: 'hi' } })
  expect(await ask({ input, channel: 'a2a' })).toMatchObject({ code: 'too_many_requests', retryable: true })
  expect(await ask({ input, channel: 'a2a', client: '192.0.2.9' })).toMatchObject({ output: { echo: 'hi' } })
  expect(runs).toBe(3)
})

test('limits count per client and per target', async () => {
  const limitedEcho = echo({
    name: 'limited',
    limits: [
      { perMinute: 2, per: 'client' },
      { perMinute: 3, per: ({ text }: { text: string }) => text },
    ],
  })
  const ask = asker(world, limitedEcho)
  const code = async (client: string, text: string) => {
    const answer = await ask({ client, input: { text } })
    return 'code' in answer ? answer.code : 'ok'
  }
  expect(await code('a', 'x')).toBe('ok')
  expect(await code('a', 'x')).toBe('ok')
  expect(await code('a', 'y')).toBe('too_many_requests')
  expect(await code('b', 'x')).toBe('ok')
  expect(await code('c', 'x')).toBe('too_many_requests')
  expect(await code('c', 'y')).toBe('ok')
})

test('a time-out aborts the handler, and what it commits later is not written', async () => {
  const slow = tool({
    ...facts,
    name: 'slow',
    needs: ['store'],
    timeoutMs: 50,
    examples: [{ text: 'a' }],
  }).run(async ({ commit, signal }, { text }) => {
    await new Promise(done => setTimeout(done, 120))
    expect(signal.aborted).toBe(true)
    return commit(async tx => {
      await tx.collection('fixture.late').put({ id: text })
      return { echo: text }
    })
  })
  expect(await asker(world, slow)({ input: { text: 'late' } })).toMatchObject({
    code: 'timeout',
    retryable: true,
  })
  await new Promise(done => setTimeout(done, 200))
  expect(await world.ports.store?.collection('fixture.late').get('late')).toBeUndefined()
})

test('a client that leaves aborts the handler', async () => {
  const client = new AbortController()
  let isAborted = false
  const waiting = tool({ ...facts, name: 'waiting', examples: [{ text: 'a' }] }).run(
    ({ signal }, { text }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          isAborted = true
          reject(new ToolError('timeout', `gone: ${text}`))
        })
        setTimeout(() => client.abort(), 20)
      }),
  )
  expect(await asker(world, waiting)({ input: { text: 'x' }, signal: client.signal })).toMatchObject({
    code: 'timeout',
  })
  expect(isAborted).toBe(true)
})

test('a handler must answer with what it committed', async () => {
  const lying = tool({ ...facts, name: 'lying', needs: ['store'], examples: [{ text: 'a' }] }).run(
    async ({ commit }) => {
      await commit(async () => ({ echo: 'one' }))
      return { echo: 'other' }
    },
  )
  expect(await asker(world, lying)({ input: { text: 'x' } })).toMatchObject({ code: 'internal' })
})

test('one client has a limit over all tools', async () => {
  const small = await openTestWorld({ perMinute: 2 })
  const ask = asker(small, echo())
  const input = { text: 'x' }
  expect(await ask({ input })).toMatchObject({ standing: { quota: 2, remaining: 1 } })
  await ask({ input })
  expect(await ask({ input })).toMatchObject({ code: 'too_many_requests' })
  expect(await ask({ input, client: '198.51.100.7' })).toMatchObject({ output: { echo: 'x' } })
  await small.stop()
})

test('a probe of a paid tool learns the price without readable input; a paid or free call must parse', async () => {
  const charges: Charge[] = []
  const worldWithGate = await openTestWorld({
    gate: {
      members: ['x402/payment', 'x402.payment.payload'],
      extensions: [],
      isPayable: () => true,
      findQuote: async () => undefined,
      findPayment: async () => undefined,
      hasPayment: ({ meta }) => 'x402/payment' in meta,
      charge: async charge => {
        charges.push(charge)
        throw new PaymentRequired({ structured: { x402Version: 2 } })
      },
    },
  })
  const ask = asker(worldWithGate, echo({ price: usd('0.01'), free: { flag: true, perMinute: 5 } }))
  expect(await ask({ input: {} })).toMatchObject({ code: 'payment_required' })
  expect(charges).toMatchObject([{ input: undefined, price: { amount: '0.01' } }])
  expect(await ask({ input: {}, evidence: { headers: {}, meta: { 'x402/payment': {} } } })).toMatchObject({
    code: 'invalid_input',
  })
  expect(await ask({ input: {}, free: true })).toMatchObject({ code: 'invalid_input' })
  expect(charges).toHaveLength(1)
  await worldWithGate.stop()
})

test('a failure of a tool that has a price says that nothing was charged; one of a free tool says nothing of it', async () => {
  const failing = (more: object) =>
    tool({ ...facts, name: 'fails', ...more, examples: [{ text: 'a' }] }).run(async () => {
      throw new ToolError('upstream', 'It is down.')
    })
  const askPaid = asker(world, failing({ price: usd('0.01'), free: { flag: true, perMinute: 9 } }))
  expect(await askPaid({ input: { text: 'a' }, free: true })).toMatchObject({
    code: 'upstream',
    charged: false,
  })
  expect(await askPaid({ input: {}, free: true })).toMatchObject({ code: 'invalid_input', charged: false })
  expect(await asker(world, failing({}))({ input: { text: 'a' } })).not.toHaveProperty('charged')
})
