import { Parser } from 'htmlparser2'
import type { DeclaredEntities } from './document-type.ts'
import { decodeReferences } from './entities.ts'

type Attributes = Readonly<Record<string, string>>

const none: Attributes = {}

/** Events of an XML document as it is read. Names are lower-case, with the prefix that stands for their namespace. */
export type XmlEvents = {
  open(name: string, attributes: Attributes, space: string): void
  text(text: string): void
  close(): void
}

/** The prefix that a namespace goes by here, whatever the document calls it; undefined keeps the document's own. */
export type LookUpPrefix = (space: string) => string | undefined

export type XmlReader = {
  write(text: string): void
  end(): void
  /** Gives up reading; nothing more is told. */
  stop(): void
  stopped(): boolean
}

/** Deeper documents are no feeds and no sitemaps; the parser is slow on them. */
const deepest = 100

type ResolvedName = { name: string; space: string }

/** Characters of one text that are read. */
const maxTextLength = 400_000

/** Namespaces that one element may declare; documents that are read have a dozen in all. */
const maxDeclared = 100

type Scope = Readonly<Record<string, string>>

const xml: Scope = { xml: 'http://www.w3.org/XML/1998/namespace' }

const declaredIn = (attributes: Record<string, string>, scope: Scope): Scope => {
  let inner: Record<string, string> | undefined
  for (const name of Object.keys(attributes)
    .filter(name => name.startsWith('xmlns'))
    .slice(0, maxDeclared)) {
    inner ??= { ...scope }
    if (name === 'xmlns') inner[''] = decodeReferences(attributes[name] ?? '').trim()
    else if (name[5] === ':') inner[name.slice(6)] = decodeReferences(attributes[name] ?? '').trim()
  }
  return inner ?? scope
}

/** Reads XML leniently as a stream of events, with namespaces and the entities given, and stops 100 levels deep. */
export const openXmlReader = (
  events: XmlEvents,
  lookUpPrefix: LookUpPrefix,
  entities?: DeclaredEntities,
): XmlReader => {
  const scopes: Scope[] = [xml]
  let raw = ''
  let literal = false
  let stopped = false

  const flush = () => {
    const text = raw.length > maxTextLength ? raw.slice(0, maxTextLength) : raw
    if (text !== '' && !stopped) events.text(literal ? text : decodeReferences(text, entities))
    raw = ''
  }
  const stop = () => {
    stopped = true
    parser.pause()
  }
  const resolved = new WeakMap<Scope, Map<string, ResolvedName>>()
  const resolve = (scope: Scope, name: string): ResolvedName => {
    const colon = name.indexOf(':')
    const sourcePrefix = colon < 0 ? '' : name.slice(0, colon)
    // A prefix may be called as what every object has: "constructor:a".
    const space = Object.hasOwn(scope, sourcePrefix) ? (scope[sourcePrefix] ?? '') : ''
    const prefix = space === '' ? sourcePrefix : (lookUpPrefix(space) ?? sourcePrefix)
    const local = (colon < 0 ? name : name.slice(colon + 1)).toLowerCase()
    return { name: prefix === '' ? local : `${prefix.toLowerCase()}:${local}`, space }
  }
  const nameIn = (scope: Scope, name: string): ResolvedName => {
    const names = resolved.get(scope) ?? new Map<string, ResolvedName>()
    const cachedName = names.get(name) ?? resolve(scope, name)
    if (names.size === 0) resolved.set(scope, names)
    if (names.size < 1000) names.set(name, cachedName)
    return cachedName
  }

  const readAttributes = (scope: Scope, attributes: Record<string, string>): Attributes => {
    const entries = Object.entries(attributes)
    if (entries.length === 0) return none
    const attributesByName: Record<string, string> = {}
    for (const [key, value] of entries)
      attributesByName[key.includes(':') ? nameIn(scope, key).name : key.toLowerCase()] = decodeReferences(
        value,
        entities,
      )
    return attributesByName
  }

  const parser = new Parser(
    {
      onopentag(rawName, attributes) {
        if (stopped) return
        flush()
        if (scopes.length > deepest) return stop()
        const scope = declaredIn(attributes, scopes.at(-1) ?? xml)
        scopes.push(scope)
        const { name, space } = nameIn(scope, rawName)
        events.open(name, readAttributes(scope, attributes), space)
      },
      onclosetag() {
        if (stopped) return
        flush()
        scopes.pop()
        events.close()
      },
      ontext(text) {
        raw += text
      },
      oncdatastart() {
        flush()
        literal = true
      },
      oncdataend() {
        flush()
        literal = false
      },
    },
    { xmlMode: true, decodeEntities: false },
  )

  return {
    write: text => {
      if (!stopped) parser.write(text)
    },
    end() {
      if (!stopped) parser.end()
      flush()
    },
    stop,
    stopped: () => stopped,
  }
}
