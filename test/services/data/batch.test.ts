import { describe, expect, test } from 'vitest'
import { timesPrice } from '../../../mcp/services/data/bundle/times-price.ts'
import { startApp } from '../../app.ts'
import { opened } from '../../opened.ts'
import { refused, startData } from './run.ts'

const data = opened(startData)

describe('a batch', () => {
  test('answers every input in order and leaves the failed ones where they are', async () => {
    const inputs = ['example.com', 'not a domain', 'example.org', 'silent.example.org']
    const answer = await data.ask('batch', { run: 'dns-lookup', inputs })
    expect(answer).toMatchObject({
      skill: 'dns-lookup',
      count: 4,
      ok_count: 2,
      failed_count: 2,
      results: [
        { input: 'example.com', ok: true, result: { domain: 'example.com', exists: true }, error: null },
        {
          input: 'not a domain',
          ok: false,
          result: null,
          error: { code: 'invalid_input', retryable: false },
        },
        { input: 'example.org', ok: true },
        { input: 'silent.example.org', ok: false, error: { code: 'upstream', retryable: true } },
      ],
    })
  })

  test('fails as a whole only when no input works', async () => {
    const refusal = await refused(data.ask('batch', { run: 'dns-lookup', inputs: ['silent.example.org'] }))
    expect(refusal).toMatchObject({ code: 'upstream' })
  })

  test('names the skills there are, and the number of inputs', async () => {
    expect((await refused(data.ask('batch', { run: 'nonsense', inputs: ['a'] }))).message).toContain('skill')
    expect((await refused(data.ask('batch', { run: 'dns-lookup', inputs: [] }))).code).toBe('invalid_input')
    const many = Array.from({ length: 21 }, (_, n) => `${n}.example.com`)
    expect((await refused(data.ask('batch', { run: 'dns-lookup', inputs: many }))).code).toBe('invalid_input')
  })

  test('gives only the fields that are named, as a single call does', async () => {
    const inputs = ['example.com', 'example.org']
    const named = await data.ask('batch', { run: 'dns-lookup', inputs, fields: 'domain, exists' })
    expect((named.results as { result: object }[]).map(({ result }) => result)).toEqual([
      { domain: 'example.com', exists: true },
      { domain: 'example.org', exists: true },
    ])
    const optional = await data.ask('batch', {
      run: 'dns-lookup',
      inputs,
      options: { fields: 'exists', max_tokens: 50 },
    })
    expect(optional.results).toMatchObject([{ result: { exists: true } }, { result: { exists: true } }])
    const whole = (await data.ask('dns-lookup', { domain: 'example.com' })) as { meta: { cached: boolean } }
    expect(whole.meta.cached).toBe(true)
    expect(whole).toHaveProperty('records')
  })

  test('refuses a field that the skill does not have before it runs', async () => {
    const refusal = await refused(
      data.ask('batch', { run: 'dns-lookup', inputs: ['example.net'], fields: 'domain,nonsense' }),
    )
    expect(refusal.code).toBe('invalid_input')
    expect(refusal.message).toContain('nonsense')
  })

  test('cuts each answer to the tokens that are asked for, and says so', async () => {
    const { results } = await data.ask('batch', {
      run: 'json-repair',
      inputs: [`[${'1,'.repeat(2000)}`],
      max_tokens: 60,
    })
    expect(results).toMatchObject([{ ok: true, truncated: true }])
  })

  test('counts each input against the free tier', async () => {
    const ask = (n: number) =>
      data.ask(
        'batch',
        { run: 'json-repair', inputs: Array.from({ length: n }, () => '[1') },
        { client: 'batcher' },
      )
    await ask(20)
    await ask(20)
    await ask(20)
    expect((await refused(ask(1))).code).toBe('too_many_requests')
  })

  test('costs its inputs times the price of the skill', async () => {
    const app = await startApp()
    const posted = await fetch(`${app.url}/data/batch`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ run: 'url-metadata', inputs: ['example.com', 'example.org'] }),
    })
    expect(posted.status).toBe(402)
    const { paymentRequired } = (await posted.json()) as {
      paymentRequired: { accepts: { amount: string }[] }
    }
    expect(paymentRequired.accepts[0]?.amount).toBe('6000')
    await app.stop()
  })
})

test('a price times a number is exact', () => {
  const price = { amount: '0.003', unit: 'usd', network: 'solana' } as const
  expect(timesPrice(price, 20)).toEqual({ ...price, amount: '0.06' })
  expect(timesPrice({ ...price, amount: '0.01' }, 7).amount).toBe('0.07')
  expect(timesPrice({ ...price, amount: '2' }, 3).amount).toBe('6')
  expect(timesPrice({ ...price, amount: '0.125' }, 8).amount).toBe('1')
})

describe('the catalogue', () => {
  test('tells schemas, example, price and cache time of every skill', async () => {
    const { skills, count } = (await data.ask('skills', {})) as {
      count: number
      skills: { id: string; inputSchema: { properties: object }; example: { a2a: string } }[]
    }
    expect(skills).toHaveLength(count)
    const dns = skills.find(({ id }) => id === 'dns-lookup')
    expect(dns).toMatchObject({
      argument: 'domain',
      price: { amount: '0.002', unit: 'usd', network: 'solana' },
      free: { per_minute: 60, ally_per_day: 100 },
      cache_seconds: 300,
      example: { a2a: 'dns-lookup example.com' },
      inputSchema: { properties: { domain: expect.any(Object), max_tokens: expect.any(Object) } },
    })
  })
})
