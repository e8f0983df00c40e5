import type { SitemapUrl } from './entry-url.ts'
import { type FileReading, readFile, type SitemapAccess } from './read-file.ts'

/** All that was found under some sitemaps. `cut` says which limit ended the search, or that a file was too long. */
export type Crawl = {
  outcomes: FileReading[]
  urls: SitemapUrl[]
  total_found: number
  cut: 'files' | 'urls' | 'time' | 'depth' | 'file' | null
}

const limits = { depth: 3, files: 50, urls: 50_000, ms: 20_000, atOnce: 3 }

type Place = { url: string; depth: number }

/**
 * Reads sitemaps and the ones their indexes name, three at a time: three levels deep, 50 files, 50,000 addresses and 20
 * seconds at most, none twice. `wanted` addresses are given in full, in the order of the files; the others are counted.
 */
export const crawl = async (
  reach: SitemapAccess,
  starts: readonly string[],
  maxUrls: number,
): Promise<Crawl> => {
  const began = performance.now()
  const seenUrls = new Set<string>()
  const queue: Place[] = []
  const result: Crawl = { outcomes: [], urls: [], total_found: 0, cut: null }
  const add = (url: string, depth: number) => {
    if (seenUrls.has(url)) return
    seenUrls.add(url)
    if (depth > limits.depth) result.cut ??= 'depth'
    else queue.push({ url, depth })
  }
  const take = (outcome: FileReading, depth: number) => {
    result.outcomes.push(outcome)
    result.total_found += outcome.file.urls
    for (const url of outcome.urls) if (result.urls.length < maxUrls) result.urls.push(url)
    for (const child of outcome.children) add(child, depth + 1)
    if (outcome.cut) result.cut ??= 'file'
  }

  for (const url of starts) add(url, 1)
  while (queue.length > 0) {
    if (result.total_found >= limits.urls) result.cut = 'urls'
    else if (performance.now() - began > limits.ms) result.cut = 'time'
    else if (result.outcomes.length >= limits.files) result.cut = 'files'
    else {
      const places = queue.splice(0, Math.min(limits.atOnce, limits.files - result.outcomes.length))
      const room = maxUrls - result.urls.length
      const outcomes = await Promise.all(places.map(({ url }) => readFile(reach, url, room)))
      for (const [index, outcome] of outcomes.entries()) take(outcome, places[index]?.depth ?? 1)
      continue
    }
    break
  }
  return result
}
