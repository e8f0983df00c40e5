import * as z from 'zod'
import { factTable } from '../../../lib/facts.ts'

/** Prefixes and terms that every RDFa processor knows, and the prefixes of OpenGraph that pages use undeclared. */
const initialContext = factTable(
  new URL('./data/rdfa-context.json', import.meta.url),
  z.strictObject({
    prefixes: z.record(z.string(), z.string()).transform(all => new Map(Object.entries(all))),
    terms: z.record(z.string(), z.string()).transform(all => new Map(Object.entries(all))),
  }),
)

/** Declared prefixes of an element, and those around it. */
type Prefixes = { own: ReadonlyMap<string, string>; outer: Prefixes | undefined }

/** Meaning of names at a place of the page. */
export type Names = { base: string; vocabulary: string | undefined; prefixes: Prefixes }

export const initialNames = (base: string): Names => ({
  base,
  vocabulary: undefined,
  prefixes: { own: initialContext().prefixes, outer: undefined },
})

/** Prefixes that a `prefix` attribute declares: `dc: http://… foaf: http://…`. */
export const withPrefixes = (names: Names, prefixAttribute: string): Names => {
  const own = new Map<string, string>()
  const parts = prefixAttribute.trim().split(/\s+/)
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const name = parts[at] ?? ''
    if (name.endsWith(':') && name !== '_:') own.set(name.slice(0, -1).toLowerCase(), parts[at + 1] ?? '')
  }
  return { ...names, prefixes: { own, outer: names.prefixes } }
}

const findPrefix = (prefixes: Prefixes, name: string): string | undefined => {
  for (let at: Prefixes | undefined = prefixes; at; at = at.outer) {
    const namespace = at.own.get(name)
    if (namespace !== undefined) return namespace
  }
  return undefined
}

const curie = ({ prefixes }: Names, text: string): string | undefined => {
  const colon = text.indexOf(':')
  if (colon < 0) return undefined
  const reference = text.slice(colon + 1)
  if (text.startsWith('_:')) return text
  if (reference.startsWith('//')) return undefined
  const prefix =
    colon === 0
      ? 'http://www.w3.org/1999/xhtml/vocab#'
      : findPrefix(prefixes, text.slice(0, colon).toLowerCase())
  return prefix === undefined ? undefined : prefix + reference
}

const isAbsolute = (text: string) => /^[a-z][a-z0-9+.-]*:\S/i.test(text)

const resolve = (names: Names, address: string): string =>
  URL.canParse(address, names.base) ? new URL(address, names.base).href : address

/** An address as `href` and `src` have it. */
export const resolveAddress = (names: Names, text: string): string => resolve(names, text.trim())

/** An address or a CURIE, as `about` and `resource` have it; undefined for a safe CURIE that means nothing. */
export const resolveResource = (names: Names, text: string): string | undefined => {
  const trimmed = text.trim()
  if (trimmed.startsWith('[') && trimmed.endsWith(']')) return curie(names, trimmed.slice(1, -1))
  return curie(names, trimmed) ?? resolve(names, trimmed)
}

/** A term, a CURIE or an absolute address, as `property` and `typeof` have it; undefined for a word that means nothing. */
export const resolveTerm = (names: Names, text: string): string | undefined => {
  if (text.includes(':')) return curie(names, text) ?? (isAbsolute(text) ? text : undefined)
  if (!/^[\p{L}_][^\s:]*$/u.test(text)) return undefined
  return names.vocabulary === undefined
    ? initialContext().terms.get(text.toLowerCase())
    : names.vocabulary + text
}

/** All names in an attribute, each once. */
export const namesIn = (names: Names, text: string | undefined): string[] => {
  if (!text) return []
  const words = text.split(/\s+/).filter(word => word !== '')
  return [...new Set(words.flatMap(word => resolveTerm(names, word) ?? []))]
}
