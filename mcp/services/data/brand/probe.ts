import type { Fetch } from '../../../ports/fetch/port.ts'
import { type Image, parseImage } from './image.ts'

/** Finding at the address of an image. `ok` is null when nobody can tell. */
export type ImageProbe = {
  href: string
  final_url: string
  status: number | null
  ok: boolean | null
  image: Image | null
}

const limits = { bytes: 64 * 1024, ms: 8000, atOnce: 3 }

const probe = async (fetch: Fetch, href: string, signal: AbortSignal): Promise<ImageProbe> => {
  try {
    const { url, status, body } = await fetch(href, {
      accept: 'image/*,*/*;q=0.5',
      maxBytes: limits.bytes,
      deadlineMs: limits.ms,
      namedBy: 'page',
      signal,
    })
    const answer = { href, final_url: url, status }
    if (status === 404 || status === 410) return { ...answer, ok: false, image: null }
    if (status >= 400) return { ...answer, ok: null, image: null }
    const image = parseImage(body) ?? null
    return { ...answer, ok: image !== null, image }
  } catch {
    return { href, final_url: href, status: null, ok: null, image: null }
  }
}

/** Looks at images by their first bytes, few at once, each address once. Never throws. */
export const probeAll = async (
  fetch: Fetch,
  hrefs: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, ImageProbe>> => {
  const queue = [...new Set(hrefs)]
  const probes = new Map<string, ImageProbe>()
  const work = async () => {
    for (let href = queue.shift(); href !== undefined; href = queue.shift())
      probes.set(href, await probe(fetch, href, signal))
  }
  await Promise.all(Array.from({ length: limits.atOnce }, work))
  return probes
}
