import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp } from '../app.ts'
import { clientRows, refusal } from './a2a-clients.ts'
import { describeJudged } from './judges.ts'

describeJudged('clients', 'skills by the stock clients of A2A', () => {
  let app: Awaited<ReturnType<typeof startApp>>
  beforeAll(async () => {
    app = await startApp()
  })
  afterAll(() => app.stop())

  describe.each(clientRows)('$label', ({ connect, sdk }) => {
    test('looks up example.com with the words of the data skill', async () => {
      const client = await connect(`${app.url}/data`)
      for (const content of ['dns-lookup example.com', { skill: 'dns-lookup', value: 'example.com' }]) {
        const { texts, data } = await client.send([content])
        expect(texts).toEqual([expect.stringMatching(/^example\.com has \d+ DNS records\.$/)])
        expect(data).toEqual([
          expect.objectContaining({
            domain: 'example.com',
            rcode: 'NOERROR',
            records: expect.objectContaining({
              NS: expect.arrayContaining([expect.objectContaining({ host: 'ns1.example.com' })]),
            }),
          }),
        ])
      }
    })

    test('asks a cat anything and hears of the bowl', async () => {
      const client = await connect(`${app.url}/cat`)
      for (const content of ['meow', 'pet', '猫は元気ですか 🐈', '{"skill":"pet"}', 'x'.repeat(5000)]) {
        const { texts, data } = await client.send([content])
        expect(texts).toEqual([expect.stringContaining('The bowl is at ')])
        expect(data).toEqual([expect.objectContaining({ kibble: expect.any(Number) })])
      }
    })

    // SDK 0.2.5 reads the body of any other status than 2xx twice, and fails of that.
    test('gets the JSON-RPC error out of a status 429', async () => {
      const tight = await startApp({ OCTAGENT_RATE_LIMIT: '1' })
      try {
        const client = await connect(`${tight.url}/cat`)
        await client.send(['meow'])
        const again = client.send(['meow'])
        if (sdk === '0.2') return await expect(again).rejects.toThrow('Body is unusable')
        const { code, message } = await refusal(again)
        expect(code).toBe(-32000)
        expect(message).toContain('1 calls a minute')
      } finally {
        await tight.stop()
      }
    })

    if (sdk !== '0.2')
      test('reads the card from agent.json as well', async () => {
        const client = await connect(`${app.url}/proof`, '.well-known/agent.json')
        expect(await client.name()).toBe('Verification')
      })
  })
})
