import { clean } from '../text/clean.ts'
import { childrenOf, type Node, textIn } from './tree.ts'

const mail = /[^\s<>()@]{1,64}@[^\s<>()@]{1,250}/

/** The name in `jo@example.com (Jo)`, `Jo <jo@example.com>` or `Jo`; the address where there is only that. */
const nameIn = (written: string): string | null => {
  const text = clean(written, 200)
  const address = text && mail.exec(text)?.[0]
  if (!text || !address) return text
  const rest = text.replace(address, ' ').replace(/mailto:|[<>[\]]|^\W*\(|\)\W*$/gi, ' ')
  return clean(rest.replace(/[\s()|,;:-]+$/, '')) ?? address
}

const personOf = (node: Node): string | null => {
  const [name, email] = ['name', 'email'].map(part => clean(childrenOf(node, part).map(textIn)[0], 200))
  return (
    name ?? email ?? (childrenOf(node, 'uri', 'url', 'homepage').length > 0 ? null : nameIn(textIn(node)))
  )
}

/** Who wrote an item or a feed, several with commas between them; null when nobody is named. */
export const authorOf = (node: Node): string | null => {
  for (const name of [
    'author',
    'dc:creator',
    'dc:author',
    'itunes:author',
    'managingeditor',
    'media:credit',
  ]) {
    const people = childrenOf(node, name).flatMap(child => personOf(child) ?? [])
    if (people.length > 0) return [...new Set(people)].slice(0, 10).join(', ')
  }
  return null
}
