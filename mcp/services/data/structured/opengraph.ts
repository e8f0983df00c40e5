import type { Element } from '../../../lib/page/element.ts'
import { clean } from '../../../lib/text/clean.ts'
import { type Item, toItem } from './item.ts'

const knownPrefixes: Readonly<Record<string, string>> = {
  og: 'http://ogp.me/ns#',
  article: 'http://ogp.me/ns/article#',
  book: 'http://ogp.me/ns/book#',
  music: 'http://ogp.me/ns/music#',
  product: 'http://ogp.me/ns/product#',
  profile: 'http://ogp.me/ns/profile#',
  video: 'http://ogp.me/ns/video#',
}

const declaredIn = (element: Element | null): [string, string][] =>
  [...(element?.getAttribute('prefix') ?? '').matchAll(/(\w{1,50}):\s*([^\s]{1,500})/g)].map(
    ([, name = '', url = '']) => [name, url],
  )

const maxTags = 1000

/** OpenGraph tags as extruct gives them: the prefixes declared and in use, and pairs of property and value in the order of the page. */
export const readOpenGraph = (document: Element): Item[] => {
  const prefixes = new Map([
    ...declaredIn(document.querySelector('html')),
    ...declaredIn(document.querySelector('head')),
  ])
  const namespace = new Map(prefixes)
  const properties: [string, string][] = []
  for (const element of document.getElementsByTagName('meta')) {
    if (element.getAttribute('content') === null) continue
    const property = clean(element.getAttribute('property'), 200)
    const prefix = property?.split(':')[0] ?? ''
    const url = Object.hasOwn(knownPrefixes, prefix) ? knownPrefixes[prefix] : prefixes.get(prefix)
    if (property === null || !property.includes(':') || url === undefined || properties.length >= maxTags)
      continue
    namespace.set(prefix, url)
    properties.push([property, clean(element.getAttribute('content'), 5000) ?? ''])
  }
  if (properties.length === 0) return []
  const valueFor = (name: string) => properties.find(([property]) => property === name)?.[1]
  const type = valueFor('og:type')
  return [
    toItem('opengraph', type === undefined ? [] : [type], valueFor('og:url'), {
      namespace: Object.fromEntries(namespace),
      properties,
    }),
  ]
}
