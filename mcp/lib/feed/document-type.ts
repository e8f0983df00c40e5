/** Entities that a document declares, by name; the replacement is text. */
export type DeclaredEntities = (name: string) => string | undefined

/** Declarations that are read, characters of one replacement, how deep one may lead to others, and characters of all. */
const maxEntities = 500
const maxReplacement = 10_000
const maxDepth = 8
const maxExpanded = 500_000

/** Declarations longer than this are no feed's. */
const maxSubset = 200_000

const none: DeclaredEntities = () => undefined

/** Pairs that hide brackets between them: comments, instructions and quoted texts. */
const hiding = [
  ['<!--', '-->'],
  ['<?', '?>'],
  ['"', '"'],
  ["'", "'"],
] as const

/** The place after a comment, an instruction or a quoted text that begins here; -1 when it never ends. */
const skipHidden = (text: string, at: number): number => {
  const pair = hiding.find(([start]) => text.startsWith(start, at))
  if (!pair) return at
  const [start, end] = pair
  const close = text.indexOf(end, at + start.length)
  return close < 0 ? -1 : close + end.length
}

/** `<!ENTITY name "text">`. External (SYSTEM, PUBLIC) and parameter entities (%) are not read. */
const declaration = /^<!ENTITY\s+([^\s%"'<>&;]{1,64})\s+(?:"([^"]*)"|'([^']*)')\s*>$/

type Subset = { values: Map<string, string>; end: number }

/** Reads the declarations between `[` and `]`, one after the other. Undefined when they never end. */
const readSubset = (text: string, start: number): Subset | undefined => {
  const values = new Map<string, string>()
  let from: number | undefined
  for (let at = start; at < text.length; ) {
    const next = skipHidden(text, at)
    if (next < 0) return undefined
    const character = text[at]
    if (next === at) {
      if (character === ']' && from === undefined) return { values, end: at + 1 }
      if (character === '<') from = at
      if (character === '>' && from !== undefined) {
        const [, name, double, single] = declaration.exec(text.slice(from, at + 1)) ?? []
        if (name !== undefined && !values.has(name) && values.size < maxEntities)
          values.set(name, double ?? single ?? '')
        from = undefined
      }
    }
    at = Math.max(next, at + 1)
  }
  return undefined
}

/** Parses the leading DOCTYPE of `text`: its end and declarations. */
const parseDocumentType = (text: string): Subset | undefined => {
  const head = /^(?:"[^"<>[]*"|'[^'<>[]*'|[^[>])*/.exec(text)?.[0].length ?? 0
  if (text[head] === '>') return { values: new Map(), end: head + 1 }
  const subset = text[head] === '[' ? readSubset(text, head + 1) : undefined
  const close = subset ? text.indexOf('>', subset.end) : -1
  return subset && close >= 0 ? { values: subset.values, end: close + 1 } : undefined
}

/**
 * Replaces references in a replacement by what they stand for. Each entity is expanded once; one that grows too long, leads
 * to itself or too deep stays as it is written, wherever it stands.
 */
const openExpansion = (values: ReadonlyMap<string, string>): DeclaredEntities => {
  const expanded = new Map<string, string | undefined>()
  const expand = (name: string, path: readonly string[]): string | undefined => {
    if (expanded.has(name)) return expanded.get(name)
    const value = values.get(name)
    if (value === undefined || path.includes(name) || path.length >= maxDepth) return undefined
    let isRefused = value.length > maxReplacement
    let length = value.length
    const text = isRefused
      ? ''
      : value.replace(/&([^\s#&;]{1,64});/g, (reference: string, inner: string) => {
          if (isRefused || !values.has(inner)) return reference
          const replacement = expand(inner, [...path, name])
          length += replacement?.length ?? 0
          if (replacement === undefined || length > maxReplacement) isRefused = true
          return isRefused ? '' : (replacement ?? '')
        })
    const result = isRefused ? undefined : text
    // What was refused for the way that led here may be fine by another.
    if (result !== undefined || path.length === 0) expanded.set(name, result)
    return result
  }
  let left = maxExpanded
  return name => {
    const text = expand(name, [])
    if (text === undefined || text.length > left) return undefined
    left -= text.length
    return text
  }
}

/**
 * Takes the DOCTYPE out of a document and reads the entities of its internal subset. Nothing outside of the document is read, and
 * all replacements together are bounded, so that none can grow (billion laughs).
 */
export const takeDocumentType = (text: string): { rest: string; entities: DeclaredEntities } => {
  const start = text.slice(0, 65_536).search(/<!DOCTYPE\s/i)
  const root = text.slice(0, 65_536).search(/<[A-Za-z_]/)
  if (start < 0 || (root >= 0 && root < start)) return { rest: text, entities: none }
  const documentType = parseDocumentType(text.slice(start, start + maxSubset))
  if (!documentType) return { rest: text, entities: none }
  const { values, end } = documentType
  const rest = text.slice(0, start) + text.slice(start + end)
  return { rest, entities: values.size === 0 ? none : openExpansion(values) }
}
