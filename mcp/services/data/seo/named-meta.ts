import type { Element } from '../../../lib/page/element.ts'
import { clean } from '../../../lib/text/clean.ts'

const most = { tags: 1000, values: 20 }

/**
 * What `meta` elements with a `name` say, by that name in lower case. Those of microdata and OpenGraph, which have other
 * attributes, are left out.
 */
export const readNamedMeta = (document: Element): ((name: string) => readonly string[]) => {
  const found = new Map<string, string[]>()
  for (const meta of [...document.querySelectorAll('meta[name]')].slice(0, most.tags)) {
    const name = meta.getAttribute('name')?.trim().toLowerCase() ?? ''
    const content = clean(meta.getAttribute('content'))
    if (content === null) continue
    const values = found.get(name) ?? []
    if (values.length < most.values) values.push(content)
    found.set(name, values)
  }
  return name => found.get(name) ?? []
}
