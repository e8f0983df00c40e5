import { clean } from '../text/clean.ts'
import { childrenNamed, type Node, textIn } from './tree.ts'

const mail = /[^\s<>()@]{1,64}@[^\s<>()@]{1,250}/

/** The name in `jo@example.com (Jo)`, `Jo <jo@example.com>` or `Jo`; the address where there is only that. */
const nameIn = (content: string): string | null => {
  const text = clean(content, 200)
  const address = text && mail.exec(text)?.[0]
  if (!text || !address) return text
  const rest = text.replace(address, ' ').replace(/mailto:|[<>[\]]|^\W*\(|\)\W*$/gi, ' ')
  return clean(rest.replace(/[\s()|,;:-]+$/, '')) ?? address
}

const readPerson = (node: Node): string | null => {
  const [name, email] = ['name', 'email'].map(part => clean(childrenNamed(node, part).map(textIn)[0], 200))
  return (
    name ?? email ?? (childrenNamed(node, 'uri', 'url', 'homepage').length > 0 ? null : nameIn(textIn(node)))
  )
}

/** Who wrote an item or a feed, several with commas between them; null when nobody is named. */
export const readAuthor = (node: Node): string | null => {
  for (const name of [
    'author',
    'dc:creator',
    'dc:author',
    'itunes:author',
    'managingeditor',
    'media:credit',
  ]) {
    const people = childrenNamed(node, name).flatMap(child => readPerson(child) ?? [])
    if (people.length > 0) return [...new Set(people)].slice(0, 10).join(', ')
  }
  return null
}
