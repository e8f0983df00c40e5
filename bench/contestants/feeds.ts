import { metadata } from '../../mcp/lib/page/metadata.ts'
import { openWorkers } from '../../mcp/ports/workers/workers.ts'
import { extract } from '../../mcp/services/data/page/fetch-page.ts'
import { readMap } from '../../mcp/services/data/sitemap/read-map.ts'
import { contest } from '../contestant.ts'
import { hostilePages } from '../pages.ts'

const workers = openWorkers()

const url = (nth: number) =>
  `<url><loc>https://example.com/shop/category-${nth % 90}/item-${nth}</loc><lastmod>2026-0${1 + (nth % 9)}-11</lastmod><changefreq>weekly</changefreq><priority>0.5</priority></url>\n`

const sitemap = (count: number) =>
  Buffer.from(
    `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${Array.from({ length: count }, (_, nth) => url(nth)).join('')}</urlset>`,
  )

const megabyte = 1024 * 1024

contest(undefined, {
  /** Milliseconds to read a sitemap of so many URLs. */
  sitemap: async (count: number) => {
    const bytes = sitemap(count)
    const before = performance.now()
    await readMap({ bytes, url: 'https://example.com/sitemap.xml', most: count })
    return { ms: performance.now() - before, megabytes: bytes.length / megabyte }
  },
  /** Megabytes this process holds after it has read every hostile page several times. */
  memory: async (rounds: number) => {
    const page = { url: 'https://example.com/', status: 200, headers: {} }
    for (let nth = 0; nth < rounds; nth++)
      for (const markup of Object.values(hostilePages))
        await extract(workers, metadata, { markup, page, mostNodes: undefined, options: {} }).catch(
          () => undefined,
        )
    return process.memoryUsage().rss / megabyte
  },
})
