import type { Content, Element } from '../../../lib/page/element.ts'
import type { ReadingBudget } from './budget.ts'
import type { Item } from './item.ts'
import { noAttributes, type RdfaAttributes, readRdfaAttributes } from './rdfa-attributes.ts'
import { type Graph, openGraph, type Value } from './rdfa-graph.ts'
import {
  initialNames,
  type Names,
  namesIn,
  resolveAddress,
  resolveResource,
  withPrefixes,
} from './rdfa-names.ts'
import { propertyValue } from './rdfa-value.ts'

type Incomplete = { predicate: string; direction: 'forward' | 'reverse' | 'list' }

type Lists = Map<string, Value[]>

/** Context an element takes over from what it stands in (RDFa Core §7.2). */
type Context = {
  names: Names
  language: string | undefined
  subject: string
  object: string
  incomplete: readonly Incomplete[]
  lists: Lists
}

const namesAt = (context: Context, attributes: RdfaAttributes, graph: Graph): Names => {
  let { names } = context
  const { vocab, prefix } = attributes
  for (const [name, value = ''] of Object.entries(attributes))
    if (name.startsWith('xmlns:')) names = withPrefixes(names, `${name.slice(6)}: ${value}`)
  if (prefix !== undefined) names = withPrefixes(names, prefix)
  if (vocab !== undefined) {
    const vocabulary = vocab.trim() === '' ? undefined : resolveAddress(names, vocab)
    names = { ...names, vocabulary }
    if (vocabulary) graph.say(names.base, 'http://www.w3.org/ns/rdfa#usesVocabulary', { '@id': vocabulary })
  }
  return names
}

/** The language of the page as a whole says nothing of a value; one that is set for a part does. */
const languageAt = (context: Context, attributes: RdfaAttributes, isRoot: boolean): string | undefined => {
  const langAttribute = attributes['xml:lang'] ?? (isRoot ? undefined : attributes.lang)
  return langAttribute === undefined ? context.language : langAttribute.trim().slice(0, 35) || undefined
}

const list = (lists: Lists, predicate: string): Value[] => {
  const entries = lists.get(predicate) ?? []
  lists.set(predicate, entries)
  return entries
}

/** Place of statements, and what is to be known there. */
type Page = { graph: Graph; stating: ReadonlySet<unknown> }

const walkChildren = (parent: Content, context: Context, page: Page): void => {
  for (let child = parent.firstChild; child; child = child.nextSibling)
    if (child.nodeType === 1) walk(child, context, page)
}

const walk = (element: Content, context: Context, page: Page): void => {
  const { graph, stating } = page
  // Elsewhere an element says something only where a relation of one around it waits for what it is about.
  if (graph.isFull() || (context.incomplete.length === 0 && !stating.has(element))) return
  const attributes = readRdfaAttributes(element)
  const parent = element.parentNode
  const isRoot = parent === null || parent.nodeType !== 1
  const isPart = element.localName === 'head' || element.localName === 'body'
  if (attributes === noAttributes && !isRoot && !isPart) {
    walkChildren(element, context, page)
    return
  }
  const names = namesAt(context, attributes, graph)
  const language = languageAt(context, attributes, isRoot)
  const { property, inlist } = attributes
  const relative = { rel: attributes.rel, rev: attributes.rev }
  if (property !== undefined) {
    // Words such as nofollow are no relations here (HTML+RDFa §3.1).
    for (const name of ['rel', 'rev'] as const) {
      const absoluteTerms = relative[name]?.split(/\s+/).filter(word => word.includes(':'))
      relative[name] = absoluteTerms && absoluteTerms.length > 0 ? absoluteTerms.join(' ') : undefined
    }
  }
  const { rel, rev } = relative
  const types = namesIn(names, attributes.typeof)
  const isTyped = attributes.typeof !== undefined
  const about = attributes.about === undefined ? undefined : resolveResource(names, attributes.about)
  const resource = attributes.resource === undefined ? undefined : resolveResource(names, attributes.resource)
  const address = attributes.href ?? attributes.src
  const linkedResource = resource ?? (address === undefined ? undefined : resolveAddress(names, address))
  const outer = isRoot ? names.base : isPart ? context.object : undefined

  let subject: string | undefined
  let object: string | undefined
  let typedResource: string | undefined
  let skip = false
  if (rel === undefined && rev === undefined) {
    if (property !== undefined && attributes.content === undefined && attributes.datatype === undefined) {
      subject = about ?? (isRoot ? names.base : context.object)
      if (isTyped) {
        typedResource = about ?? (isRoot ? names.base : undefined) ?? linkedResource ?? graph.blank()
        object = typedResource
      }
    } else {
      subject = about ?? linkedResource ?? outer ?? (isTyped ? graph.blank() : undefined)
      if (subject === undefined) {
        subject = context.object
        skip = property === undefined
      }
      if (isTyped) typedResource = subject
    }
  } else {
    subject = about ?? outer ?? context.object
    if (isTyped && about !== undefined) typedResource = subject
    object = linkedResource ?? (isTyped && about === undefined ? graph.blank() : undefined)
    if (isTyped && about === undefined) typedResource = object
  }

  if (typedResource !== undefined)
    for (const type of types) graph.say(typedResource, '@type', { '@id': type })
  const lists: Lists = isRoot || subject !== context.object ? new Map() : context.lists

  const relations = namesIn(names, rel)
  const reverses = namesIn(names, rev)
  const incomplete: Incomplete[] = []
  if (object !== undefined) {
    for (const predicate of relations) {
      if (inlist !== undefined) list(lists, predicate).push({ '@id': object })
      else graph.say(subject, predicate, { '@id': object })
    }
    for (const predicate of reverses) graph.say(object, predicate, { '@id': subject })
  } else if (relations.length + reverses.length > 0) {
    for (const predicate of relations)
      incomplete.push({ predicate, direction: inlist === undefined ? 'forward' : 'list' })
    for (const predicate of reverses) incomplete.push({ predicate, direction: 'reverse' })
    object = graph.blank()
  }

  if (property !== undefined) {
    const value = propertyValue(
      element,
      { ...attributes, rel, rev },
      { names, language, typedResource: typedResource, linkedResource: linkedResource },
    )
    for (const predicate of namesIn(names, property)) {
      if (inlist !== undefined) list(lists, predicate).push(value)
      else graph.say(subject, predicate, value)
    }
  }

  if (!skip) {
    for (const { predicate, direction } of context.incomplete) {
      if (direction === 'forward') graph.say(context.subject, predicate, { '@id': subject })
      else if (direction === 'reverse') graph.say(subject, predicate, { '@id': context.subject })
      else list(context.lists, predicate).push({ '@id': subject })
    }
  }

  const inner: Context = skip
    ? { ...context, names, language }
    : { names, language, subject, object: object ?? subject, incomplete, lists }
  walkChildren(element, inner, page)

  if (lists !== context.lists)
    for (const [predicate, values] of lists) graph.say(subject, predicate, { '@list': values })
}

/** The elements that make statements of their own, with those they stand in. */
const findStating = (document: Element): Set<unknown> => {
  const stating = new Set<unknown>()
  for (const element of document.querySelectorAll('[property],[rel],[rev],[typeof],[vocab]'))
    for (let at: Element | null = element; at && !stating.has(at); at = at.parentNode) stating.add(at)
  return stating
}

/** Reads the RDFa 1.1 of a page, as expanded JSON-LD: names are whole addresses, every value is a list. */
export const readRdfa = (document: Element, base: string, budget: ReadingBudget): Item[] => {
  const root = document.querySelector('html') as unknown as Content | null
  if (!root) return []
  const graph = openGraph(budget)
  const names = initialNames(base)
  const start = { names, language: undefined, subject: base, object: base, incomplete: [], lists: new Map() }
  walk(root, start, { graph, stating: findStating(document) })
  return graph.items()
}
