import { isRecord } from '../../../lib/json.ts'
import { repair } from '../../../lib/json-repair/repair.ts'
import type { Element } from '../../../lib/page/element.ts'
import { cleanText } from '../../../lib/text/clean.ts'
import type { ReadingBudget } from './budget.ts'
import { type Item, toItem } from './item.ts'

/** A block that is no valid JSON. `where` counts the blocks of the page from 0. */
export type BlockError = { format: 'jsonld'; where: string; message: string; repaired: boolean }

type Json = Record<string, unknown>

const deepest = 200

/** A value with its strings made safe to show, without keys that would change what objects are. */
const cleanValue = (value: unknown, depth: number): unknown => {
  if (typeof value === 'string') return cleanText(value)
  if (depth > deepest) return null
  if (Array.isArray(value)) return value.map(entry => cleanValue(entry, depth + 1))
  if (!isRecord(value)) return value
  const entries = Object.entries(value).filter(([key]) => key !== '__proto__')
  return Object.fromEntries(entries.map(([key, entry]) => [cleanText(key), cleanValue(entry, depth + 1)]))
}

const entities: Readonly<Record<string, string>> = {
  quot: '"',
  apos: "'",
  amp: '&',
  lt: '<',
  gt: '>',
  nbsp: '\u00a0',
  '#34': '"',
  '#39': "'",
  '#x27': "'",
  '#x22': '"',
}

const decodeEntities = (text: string): string =>
  text.replace(/&(quot|apos|amp|lt|gt|nbsp|#34|#39|#x27|#x22);/gi, (whole, name: string) => {
    return entities[name.toLowerCase()] ?? whole
  })

/** A block without the comments that hid scripts from old browsers. */
const unwrapScript = (text: string): string =>
  text
    .replace(/^\ufeff/, '')
    .replace(/^\s*(?:(?:\/\/|\/\*)?\s{0,50}<!\[CDATA\[\s{0,50}(?:\*\/)?|<!--)/, '')
    .replace(/(?:(?:\/\/|\/\*)?\s{0,50}\]\]>\s{0,50}(?:\*\/)?|(?:\/\/\s{0,50})?-->)\s*$/, '')
    .replace(/^(?:\s*(?:\/\/[^\n]*|<!--[^\n]*?-->|\/\*[\s\S]*?\*\/))+/, '')

const parseJson = (text: string): { value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

type ParsedBlock = { value: unknown; error?: Omit<BlockError, 'where'> }

const parseBlock = (text: string): ParsedBlock => {
  const whole = parseJson(text) ?? parseJson(unwrapScript(text))
  if (whole) return whole
  const bare = unwrapScript(text)
  const source = /^[\s[{]*&(?:quot|#34|#x22);/i.test(bare) ? decodeEntities(bare) : bare
  const { result, repaired, valid, fixes } = repair(source)
  const first = fixes[0]
  const message = first ? `${first.message} (line ${first.line})` : 'HTML entities stand for quotes'
  const isUsable = (repaired || valid) && typeof result === 'object' && result !== null
  return {
    value: isUsable ? result : undefined,
    error: {
      format: 'jsonld',
      message: isUsable ? message : 'The block holds no JSON object.',
      repaired: isUsable,
    },
  }
}

const readTypes = (node: Json): string[] => [node['@type']].flat().filter(type => typeof type === 'string')

const item = (node: Json): Item => {
  const id = node['@id']
  return toItem('jsonld', readTypes(node), typeof id === 'string' ? id : null, node)
}

/** Nodes of a block: those of an array, and those of a graph with the context of the whole. */
const nodesIn = (value: unknown, depth = 0): Json[] => {
  if (depth > 5) return []
  if (Array.isArray(value)) return value.flatMap(entry => nodesIn(entry, depth + 1))
  if (!isRecord(value)) return []
  const { '@graph': graph, '@context': context, ...own } = value
  if (graph === undefined) return Object.keys(value).length > 0 ? [value] : []
  const nodes = nodesIn(graph, depth + 1).map(node =>
    context === undefined ? node : { '@context': context, ...node },
  )
  const hasContent = Object.keys(own).some(key => key !== '@id')
  return hasContent ? [context === undefined ? own : { '@context': context, ...own }, ...nodes] : nodes
}

/** All types in a value, however deep. */
export const typesInJson = (value: unknown): string[] => {
  if (Array.isArray(value)) return value.flatMap(typesInJson)
  if (!isRecord(value)) return []
  const { '@context': _, '@type': __, ...rest } = value
  return [...readTypes(value), ...Object.values(rest).flatMap(typesInJson)]
}

export const readJsonLd = (
  document: Element,
  budget: ReadingBudget,
): { items: Item[]; errors: BlockError[] } => {
  const items: Item[] = []
  const errors: BlockError[] = []
  let at = -1
  for (const script of document.getElementsByTagName('script')) {
    if (!/^\s*application\/ld\+json\s*(?:;|$)/i.test(script.getAttribute('type') ?? '')) continue
    at++
    const text = script.textContent ?? ''
    if (text.trim() === '' || !budget.take(text.length)) continue
    const { value, error } = parseBlock(text)
    if (error) errors.push({ ...error, where: `script ${at}` })
    for (const node of nodesIn(cleanValue(value, 0))) items.push(item(node))
  }
  return { items, errors }
}
