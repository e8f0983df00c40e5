import type { Element } from '../../../lib/page/element.ts'
import { clean } from '../../../lib/text/clean.ts'

const limits = { tags: 1000, values: 20 }

/**
 * What `meta` elements with a `name` say, by that name in lower case. Those of microdata and OpenGraph, which have other
 * attributes, are left out.
 */
export const readNamedMeta = (document: Element): ((name: string) => readonly string[]) => {
  const valuesByName = new Map<string, string[]>()
  for (const meta of [...document.querySelectorAll('meta[name]')].slice(0, limits.tags)) {
    const name = meta.getAttribute('name')?.trim().toLowerCase() ?? ''
    const content = clean(meta.getAttribute('content'))
    if (content === null) continue
    const values = valuesByName.get(name) ?? []
    if (values.length < limits.values) values.push(content)
    valuesByName.set(name, values)
  }
  return name => valuesByName.get(name) ?? []
}
