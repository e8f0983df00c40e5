import { describe, expect, test } from 'vitest'
import { services } from '../app/services.ts'
import { soakRequests } from '../bench/soak/requests.ts'
import { judge, type Sample } from '../bench/soak/verdict.ts'

const megabyte = 1 << 20
const sample = (requests: number, heap: number, more: Partial<Sample> = {}): Sample => ({
  requests,
  heap,
  resident: 200 * megabyte,
  descriptors: 30,
  ...more,
})

/** A heap that grows by so many bytes for each request, around which the samples swing. */
const growing = (bytes: number): Sample[] =>
  Array.from({ length: 9 }, (_, n) =>
    sample(n * 10_000, 80 * megabyte + n * 10_000 * bytes + (n % 2) * 100_000),
  )

describe('the soak', () => {
  test('passes a heap that is flat but for its swing', () => {
    const { faults, bytesPerRequest } = judge(30, growing(0), sample(90_000, 80 * megabyte), 0)
    expect(faults).toEqual([])
    expect(Math.abs(bytesPerRequest)).toBeLessThan(10)
  })

  test('tells of a hundred bytes that each request leaves behind', () => {
    const { faults } = judge(30, growing(100), sample(90_000, 90 * megabyte), 0)
    expect(faults).toEqual(['100 bytes of heap stay per request'])
  })

  test('says nothing of a little that settles in a short run', () => {
    const warm = [sample(0, 80 * megabyte), sample(5000, 81 * megabyte)]
    expect(judge(30, warm, sample(5000, 81 * megabyte), 0).faults).toEqual([])
  })

  test('tells of a process that grows outside of its heap, of descriptors, and of broken answers', () => {
    const warm = [sample(0, 0), sample(1000, 0, { resident: 240 * megabyte })]
    const { faults } = judge(30, warm, sample(1000, 0, { descriptors: 50 }), 3)
    expect(faults).toEqual([
      'the process grew by 20 %',
      '20 descriptors stayed open',
      '3 answers were broken or 500',
    ])
  })

  test('asks every service on every transport', () => {
    const requests = soakRequests()
    for (const { slug } of services) {
      const own = requests.filter(({ path }) => path.startsWith(`/${slug}/`) || path === `/${slug}`)
      expect(
        own.some(({ path }) => path.includes('/tools/')),
        `${slug} over REST`,
      ).toBe(true)
      expect(
        own.some(({ path }) => path === `/${slug}/mcp`),
        `${slug} over MCP`,
      ).toBe(true)
      expect(
        own.some(({ body }) => body?.includes('message/send')),
        `${slug} over A2A`,
      ).toBe(true)
    }
  })
})
