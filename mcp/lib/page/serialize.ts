import type { LinkedNode, NodeFields } from './linked-nodes.ts'

type Chain = LinkedNode & { [field: symbol]: Chain }

type NamedNode = { name: string; localName: string }

const voids = new Set(
  'area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr'.split(
    ' ',
  ),
)

const rawTexts = new Set('iframe noembed noframes plaintext script style xmp'.split(' '))

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\u00a0': '&nbsp;',
}

const escapeCharacter = (character: string) => escapes[character] ?? character

const inText = (text: string) => text.replace(/[&<>\u00a0]/g, escapeCharacter)

const inValue = (text: string) => text.replace(/[&"\u00a0]/g, escapeCharacter)

/** Writes what is in an element as HTML (HTML §13.3). */
export const serializerBy = ({ next, end, start, value }: NodeFields) => {
  const textOf = (node: Chain) => (node as unknown as Record<symbol, string>)[value] ?? ''
  const nameOf = (node: LinkedNode) => (node as unknown as NamedNode).localName

  return (element: LinkedNode): string => {
    const last = (element as Chain)[end]
    let html = ''
    let open = false
    let at = (element as Chain)[next] as Chain
    while (at.nodeType === 2) at = at[next] as Chain
    for (; at !== last; at = at[next] as Chain) {
      if (open && at.nodeType !== 2) {
        html += '>'
        open = false
      }
      if (at.nodeType === 1) {
        html += `<${nameOf(at)}`
        open = true
      } else if (at.nodeType === 2) html += ` ${(at as unknown as NamedNode).name}="${inValue(textOf(at))}"`
      else if (at.nodeType === 3) {
        const raw = at.parentNode !== null && rawTexts.has(nameOf(at.parentNode))
        html += raw ? textOf(at) : inText(textOf(at))
      } else if (at.nodeType === 8) html += `<!--${textOf(at)}-->`
      else if (at.nodeType === -1) {
        const name = nameOf(at[start] as Chain)
        if (!voids.has(name)) html += `</${name}>`
      }
    }
    return html
  }
}
