import { type Content, type Element, iterateChildren } from '../../../lib/page/element.ts'
import { wholeText } from '../../../lib/page/plain-text.ts'
import { cleanText } from '../../../lib/text/clean.ts'
import type { ReadingBudget } from './budget.ts'
import { type InputSpecification, inputSpecification, isInputProperty } from './input-text.ts'
import { type Item, toItem } from './item.ts'

/** An item as extruct gives it: one type or value stands alone, several are a list. */
export type Microdata = {
  type?: string | string[]
  id?: string
  properties?: Record<string, Value | Value[]>
  value?: Value
}

type Value = string | Microdata | InputSpecification

const addresses: Readonly<Record<string, string>> = {
  a: 'href',
  area: 'href',
  link: 'href',
  audio: 'src',
  embed: 'src',
  iframe: 'src',
  img: 'src',
  source: 'src',
  track: 'src',
  video: 'src',
  object: 'data',
}

const words = (text: string | null): string[] => (text ?? '').split(/\s+/).filter(word => word !== '')

/** An address as HTML §5.2.4 has it: absolute, and empty when it is none. */
const addressIn = (element: Content, attribute: string, base: string): string => {
  const rawValue = element.getAttribute(attribute)?.trim()
  return rawValue && URL.canParse(rawValue, base) ? new URL(rawValue, base).href : ''
}

const textIn = (element: Content, base: string): string => {
  const name = element.localName
  const address = addresses[name]
  if (address !== undefined) return addressIn(element, address, base)
  if (name === 'meta') return element.getAttribute('content') ?? ''
  if (name === 'data' || name === 'meter') return element.getAttribute('value') ?? ''
  if (name === 'time') return element.getAttribute('datetime') ?? wholeText(element)
  // Not in the standard, but schema.org shows it and sites do it.
  return element.getAttribute('content') || wholeText(element)
}

const cleanSpecification = (asked: InputSpecification): InputSpecification =>
  Object.fromEntries(Object.entries(asked).map(([name, value]) => [name, value === true || cleanText(value)]))

const alone = <T>(values: readonly T[]): T | T[] => (values.length === 1 ? (values[0] as T) : [...values])

/** All types in an item and in what is nested in it. */
export const typesIn = (item: Microdata): string[] => {
  const own = item.type === undefined ? [] : [item.type].flat()
  const nestedValues = Object.values(item.properties ?? {})
    .flat()
    .flatMap(value => (typeof value === 'string' ? [] : typesIn(value as Microdata)))
  return [...own, ...nestedValues]
}

const reader = (document: Element, base: string, budget: ReadingBudget) => {
  const byId = new Map<string, Content>()
  for (const element of document.querySelectorAll('[id]')) {
    const id = element.getAttribute('id') ?? ''
    if (!byId.has(id)) byId.set(id, element as unknown as Content)
  }
  const openItems = new Set<Content>()

  /** Elements that give an item its properties (HTML §5.2.5), each once, in the order they are met. */
  const collectProperties = (root: Content): Content[] => {
    const crawled = new Set<Content>([root])
    const properties: Content[] = []
    const crawl = (element: Content) => {
      if (element.nodeType !== 1 || crawled.has(element) || !budget.look(1)) return
      crawled.add(element)
      if (words(element.getAttribute('itemprop')).length > 0) properties.push(element)
      if (element.getAttribute('itemscope') === null)
        for (const child of iterateChildren(element)) crawl(child)
    }
    for (const child of iterateChildren(root)) crawl(child)
    for (const id of words(root.getAttribute('itemref'))) {
      const element = byId.get(id)
      if (element) crawl(element)
    }
    return properties
  }

  const readItem = (root: Content, above: readonly Content[]): Microdata => {
    openItems.add(root)
    const types = words(root.getAttribute('itemtype')).map(cleanText)
    const id = root.getAttribute('itemid')?.trim()
    const properties = new Map<string, Value[]>()
    for (const element of collectProperties(root)) {
      const value = readValue(element, [...above, root])
      if (value === null) continue
      for (const name of new Set(words(element.getAttribute('itemprop')).map(cleanText))) {
        const values = properties.get(name)
        if (values) values.push(value)
        else properties.set(name, [value])
      }
    }
    return {
      ...(types.length > 0 && { type: alone(types) }),
      ...(id && { id: cleanText(URL.canParse(id, base) ? new URL(id, base).href : id) }),
      ...(properties.size > 0
        ? { properties: Object.fromEntries([...properties].map(([name, values]) => [name, alone(values)])) }
        : { value: cleanText(textIn(root, base)) }),
    }
  }

  /** An item that holds itself ends there, as the standard says of such an error. */
  const readValue = (element: Content, above: readonly Content[]): Value | null => {
    if (element.getAttribute('itemscope') !== null) {
      if (above.includes(element)) return 'ERROR'
      return budget.take(10) ? readItem(element, above) : null
    }
    const isInput = words(element.getAttribute('itemprop')).some(isInputProperty)
    const asked = isInput && !element.getAttribute('content') ? inputSpecification(element) : undefined
    if (asked) return budget.take(JSON.stringify(asked).length) ? cleanSpecification(asked) : null
    const text = cleanText(textIn(element, base))
    return budget.take(text.length) ? text : null
  }

  return { readItem, seen: openItems }
}

/** The items of a page: those on their own first, then those that say they are values but of nothing. */
export const readMicrodata = (document: Element, base: string, budget: ReadingBudget): Item[] => {
  const scopes = [...document.querySelectorAll('[itemscope]')] as unknown as Content[]
  if (scopes.length === 0) return []
  const { readItem, seen } = reader(document, base, budget)
  const items: Item[] = []
  const add = (root: Content) => {
    if (!budget.take(10)) return
    const data = readItem(root, [])
    items.push(toItem('microdata', [data.type ?? []].flat(), data.id, data))
  }
  for (const root of scopes) if (root.getAttribute('itemprop') === null) add(root)
  for (const root of scopes) if (!seen.has(root)) add(root)
  return items
}
