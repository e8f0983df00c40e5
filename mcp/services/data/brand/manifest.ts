import { isRecord } from '../../../lib/json.ts'
import { repair } from '../../../lib/json-repair/repair.ts'
import { absolute } from '../../../lib/page/link.ts'
import { clean } from '../../../lib/text/clean.ts'
import type { Fetch } from '../../../ports/fetch/port.ts'
import type { Note } from '../meta.ts'

export type ManifestIcon = {
  src: string
  sizes: string | null
  type: string | null
  purpose: string | null
}

/** A web application manifest, as far as it tells of a brand. */
export type Manifest = {
  url: string
  name: string | null
  short_name: string | null
  description: string | null
  icons: ManifestIcon[]
  icon_count: number
  theme_color: string | null
  background_color: string | null
  display: string | null
}

const limits = { bytes: 256 * 1024, repaired: 64 * 1024, icons: 50, ms: 8000 }

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    const isBroken = text.startsWith('{') && text.length <= limits.repaired
    return isBroken ? repair(text).result : undefined
  }
}

const readText = (value: unknown, length: number): string | null =>
  typeof value === 'string' ? clean(value, length) : null

const readIcons = (value: unknown, base: string): ManifestIcon[] =>
  (Array.isArray(value) ? value : []).flatMap(entry => {
    const src = isRecord(entry) && typeof entry.src === 'string' ? absolute(entry.src, base) : null
    if (src === null) return []
    return [
      {
        src,
        sizes: readText(entry.sizes, 200)?.toLowerCase() ?? null,
        type: readText(entry.type, 100),
        purpose: readText(entry.purpose, 100)?.toLowerCase() ?? null,
      },
    ]
  })

/** Reads a manifest, also one that is not quite JSON; addresses are relative to it. Undefined for what is no object. */
export const readManifest = (text: string, url: string): Manifest | undefined => {
  const value = parse(text.replace(/^\ufeff/, '').trim())
  if (!isRecord(value)) return undefined
  const icons = readIcons(value.icons, url)
  return {
    url,
    name: readText(value.name, 200),
    short_name: readText(value.short_name, 100),
    description: readText(value.description, 500),
    icons: icons.slice(0, limits.icons),
    icon_count: icons.length,
    theme_color: readText(value.theme_color, 100),
    background_color: readText(value.background_color, 100),
    display: readText(value.display, 50),
  }
}

const missing = (code: string, message: string) => ({ manifest: null, notes: [{ code, message }] })

/** Fetches a manifest, from any host. One that cannot be had or read is null, with a note. */
export const fetchManifest = async (
  fetch: Fetch,
  url: string | null,
  signal: AbortSignal,
): Promise<{ manifest: Manifest | null; notes: Note[] }> => {
  if (url === null) return { manifest: null, notes: [] }
  try {
    const fetched = await fetch(url, {
      accept: 'application/manifest+json, application/json;q=0.9, */*;q=0.5',
      maxBytes: limits.bytes,
      deadlineMs: limits.ms,
      namedBy: 'page',
      signal,
    })
    if (fetched.status >= 400)
      return missing('manifest_missing', `The manifest answers with status ${fetched.status}.`)
    const manifest = readManifest(fetched.text().text, fetched.url)
    return manifest ? { manifest, notes: [] } : missing('manifest_invalid', 'The manifest is no JSON object.')
  } catch {
    return missing('manifest_unread', 'The manifest could not be read just now; what is in it is unknown.')
  }
}
