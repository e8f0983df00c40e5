import { execFileSync } from 'node:child_process'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compressHead, maxTail } from '../../mcp/lib/stored-tail.ts'

test('any head with any end decompresses to both, as often as it is asked', () =>
  fc.assert(
    fc.asyncProperty(
      fc.oneof(fc.uint8Array({ maxLength: 2000 }), fc.string({ maxLength: 5000 }).map(Buffer.from)),
      fc.array(fc.uint8Array({ minLength: 1, maxLength: 300 }), { minLength: 1, maxLength: 3 }),
      async (head, tails) => {
        const compressed = compressHead(Buffer.from(head))
        for (const tail of tails.map(bytes => Buffer.from(bytes))) {
          const whole = Buffer.concat([head, tail])
          expect(gunzipSync(await compressed.gzip(tail))).toEqual(whole)
          expect(brotliDecompressSync(await compressed.br(tail))).toEqual(whole)
        }
      },
    ),
  ))

test('the longest end, and gzip itself', async () => {
  const [head, tail] = [Buffer.from('{"tools":['.repeat(9000)), Buffer.alloc(maxTail, 'é')]
  const compressed = compressHead(head)
  const whole = Buffer.concat([head, tail])
  expect(brotliDecompressSync(await compressed.br(tail)).equals(whole)).toBe(true)
  expect(execFileSync('gzip', ['-dc'], { input: await compressed.gzip(tail) }).equals(whole)).toBe(true)
})
