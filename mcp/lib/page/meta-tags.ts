import { clean } from '../text/clean.ts'
import type { Element } from './element.ts'
import { absolute } from './link.ts'

/** Values by the lower-case name of their `meta` element, in the order of the page; empty ones are left out. */
export type MetaTags = ReadonlyMap<string, readonly string[]>

const maxima = { tags: 1000, values: 20 }

/** Reads `meta` elements anywhere in the page; `name`, `property`, `itemprop` and `http-equiv` name them alike. */
export const readMetaTags = (document: Element): MetaTags => {
  const tags = new Map<string, string[]>()
  for (const element of [...document.querySelectorAll('meta[content]')].slice(0, maxima.tags)) {
    const content = clean(element.getAttribute('content'))
    if (content === null) continue
    const names = ['property', 'name', 'itemprop', 'http-equiv'].map(attribute =>
      element.getAttribute(attribute)?.trim().toLowerCase().slice(0, 100),
    )
    for (const name of new Set(names)) {
      if (!name) continue
      const values = tags.get(name)
      if (!values) tags.set(name, [content])
      else if (values.length < maxima.values) values.push(content)
    }
  }
  return tags
}

/** The first value of the first name that has one. */
export const firstValue = (tags: MetaTags, ...names: string[]): string | null => {
  for (const name of names) {
    const value = tags.get(name)?.[0]
    if (value !== undefined) return value
  }
  return null
}

const isAddress = /^(?:url|(?:image|video|audio)(?::(?:url|secure_url|src))?|player(?::stream)?)$/

/** The tags under a prefix such as `og:`, without it; addresses are made absolute. Null when the page has none. */
export const tagsUnder = (tags: MetaTags, prefix: string, base: string): Record<string, string> | null => {
  const entries = [...tags].flatMap(([name, [value = '']]) => {
    const key = name.slice(prefix.length)
    if (!name.startsWith(prefix) || key === '') return []
    const content = isAddress.test(key) ? absolute(value, base) : value
    return content === null ? [] : [[key, content] as const]
  })
  return entries.length > 0 ? Object.fromEntries(entries) : null
}
