import type { Place } from '../finding.ts'

export type XmlSetting = { path: string[]; value: string; place: Place }

const tagForm = /<([^<>]{1,2000})>/g
const attributeForm = /([\w:.-]{1,80})\s?=\s?(?:"([^"]{0,500})"|'([^']{0,500})')/g

const withoutComments = (text: string): string => {
  let bare = ''
  let from = 0
  for (let at = text.indexOf('<!--'); at >= 0; at = text.indexOf('<!--', from)) {
    const end = text.indexOf('-->', at)
    // Lines stay, so that places do.
    bare += text.slice(from, at) + text.slice(at, end < 0 ? undefined : end).replace(/[^\n]/g, '')
    if (end < 0) return bare
    from = end + 3
  }
  return bare + text.slice(from)
}

/** True when a text is XML; web server directives, `<VirtualHost *:443>`, only look like it. */
export const isXml = (text: string): boolean => {
  const bare = withoutComments(text.slice(0, 4000)).trimStart()
  return (
    /^<\?xml\b/.test(bare) ||
    (/^<[A-Za-z][\w:.-]{0,80}(?:\s{1,20}[\w:.-]{1,80}="[^"\n]{0,300}"){0,20}\s{0,20}\/?>/.test(bare) &&
      /<\/[A-Za-z][\w:.-]*>\s*$|\/>\s*$/.test(withoutComments(text).trimEnd().slice(-200)))
  )
}

/** The settings of XML: texts of elements, attributes, and pairs that name their key in an attribute or in an element of its own. */
export const parseXml = (source: string): XmlSetting[] => {
  const text = withoutComments(source)
  const settings: XmlSetting[] = []
  const open: string[] = []
  const indexes: Map<string, number>[] = [new Map()]
  let [from, line, counted, named] = [0, 1, 0, '']
  for (const match of text.matchAll(tagForm)) {
    if (settings.length > 3000 || open.length > 100) break
    const tag = match[1] ?? ''
    if (/^[?!]/.test(tag)) continue
    for (let at = text.indexOf('\n', counted); at >= 0 && at < match.index; at = text.indexOf('\n', at + 1)) {
      line++
      counted = at + 1
    }
    const place = { line }
    if (tag.startsWith('/')) {
      const value = text.slice(from, match.index).trim()
      if (value !== '' && value.length < 500) {
        settings.push({ path: [...open], value, place })
        const last = open.at(-1)?.toLowerCase()
        if (last === 'name' || last === 'key') named = value
        else if (last === 'value' && named !== '') {
          settings.push({ path: [...open.slice(0, -2), named], value, place })
          named = ''
        }
      }
      open.pop()
      indexes.pop()
      from = match.index + match[0].length
      continue
    }
    const name = /^[\w:.-]{1,80}/.exec(tag)?.[0] ?? ''
    const attributes = [...tag.matchAll(attributeForm)].map(
      ([, key = '', double, single]) => [key, double ?? single ?? ''] as const,
    )
    const key = attributes.find(([key]) => /^(?:key|name)$/i.test(key))?.[1]
    for (const [attribute, value] of attributes) {
      if (/^(?:key|name)$/i.test(attribute) || attribute.startsWith('xmlns')) continue
      const isPair = key !== undefined && /^value$/i.test(attribute)
      settings.push({ path: [...open, ...(isPair ? [key] : [name, attribute])], value, place })
    }
    if (!tag.endsWith('/')) {
      const seen = indexes.at(-1)
      const nth = seen?.get(name) ?? 0
      seen?.set(name, nth + 1)
      // A second element of a name is told from the first, as items of a list are.
      open.push(...(nth > 0 ? [`${name}.${nth}`] : [name]))
      indexes.push(new Map())
      from = match.index + match[0].length
    } else from = match.index + match[0].length
  }
  return settings
}
