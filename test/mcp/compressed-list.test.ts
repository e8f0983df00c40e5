import { type IncomingHttpHeaders, request } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import cat from '../../mcp/services/cat/service.ts'
import data from '../../mcp/services/data/service.ts'
import { opened } from '../opened.ts'
import { emptyWorld, serveMcp } from './serve.ts'
import { eras, requestOf } from './wire.ts'

const served = opened(() => serveMcp(emptyWorld(), [data, cat]))

type Answer = { status: number | undefined; headers: IncomingHttpHeaders; bytes: Buffer }

const send = (url: string, body: object, headers: Record<string, string>): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const sending = request(url, { method: 'POST', headers }, answer => {
      const chunks: Buffer[] = []
      answer.on('data', chunk => chunks.push(chunk))
      answer.on('error', reject)
      answer.on('end', () =>
        resolve({ status: answer.statusCode, headers: answer.headers, bytes: Buffer.concat(chunks) }),
      )
    })
    sending.on('error', reject)
    sending.end(JSON.stringify(body))
  })

describe.each(eras)('the list of a service in the era of %s', era => {
  const list = (encoding: string | undefined, id = 1, method = 'tools/list') => {
    const { body, headers } = requestOf(era, method)
    const accepted = encoding === undefined ? {} : { 'accept-encoding': encoding }
    return send(`${served.url}/data/mcp`, { ...body, id }, { ...headers, ...accepted })
  }

  test('is a seventh as long for a client that takes it compressed, and says the same', async () => {
    const plain = await list(undefined)
    expect(plain.headers['content-encoding']).toBeUndefined()
    expect(plain.bytes.length).toBeGreaterThan(50_000)
    for (const [name, decompress] of [
      ['gzip', gunzipSync],
      ['br', brotliDecompressSync],
    ] as const) {
      const { status, headers, bytes } = await list(name)
      expect([status, headers['content-encoding']]).toEqual([200, name])
      expect(headers['content-length']).toBe(String(bytes.length))
      expect(headers.vary).toContain('Accept-Encoding')
      expect(bytes.length).toBeLessThan(plain.bytes.length / 7)
      expect(JSON.parse(decompress(bytes).toString())).toEqual(JSON.parse(plain.bytes.toString()))
    }
  })

  test('has the id of each request behind the same bytes, however many there are', async () => {
    const [{ bytes: first }, { bytes: firstBr }] = [await list('gzip', 0), await list('br', 0)]
    for (let id = 1; id <= 9; id++) {
      const [{ bytes }, { bytes: br }] = [await list('gzip', id), await list('br', id)]
      for (const text of [gunzipSync(bytes), brotliDecompressSync(br)])
        expect(JSON.parse(text.toString())).toMatchObject({ id, result: { tools: expect.any(Array) } })
      // All but the stored end: what stands before the id is not compressed again.
      expect(bytes.subarray(0, -50).equals(first.subarray(0, -50))).toBe(true)
      expect(br.subarray(0, -50).equals(firstBr.subarray(0, -50))).toBe(true)
      expect(bytes.subarray(-32).toString('latin1')).toContain(`"id":${id}}`)
    }
  })

  test('comes as it is to who refuses compression, and a refusal is none of a list', async () => {
    expect((await list('identity')).headers['content-encoding']).toBeUndefined()
    const { body, headers } = requestOf(era, 'tools/list')
    const refused = await send(
      `${served.url}/data/mcp`,
      { ...body, params: { cursor: 5 } },
      { ...headers, 'accept-encoding': 'gzip' },
    )
    expect(refused.headers['content-encoding']).toBeUndefined()
    expect(JSON.parse(refused.bytes.toString())).toHaveProperty('error')
  })

  test('is not made for clients that leave before it is there', async () => {
    const { body, headers } = requestOf(era, 'tools/list')
    for (let n = 0; n < 5; n++) {
      const sending = request(`${served.url}/data/mcp`, {
        method: 'POST',
        headers: { ...headers, 'accept-encoding': 'br' },
      })
      sending.on('error', () => undefined)
      sending.end(JSON.stringify({ ...body, id: 1000 + n }))
      await new Promise(resolve => setImmediate(resolve))
      sending.destroy()
    }
    expect((await list('br')).status).toBe(200)
    expect(served.faults).toEqual([])
  })
})
