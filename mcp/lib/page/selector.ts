/** An element as a selector looks at it. */
export type Selectable = {
  readonly nodeType: number
  readonly localName: string
  readonly parentNode: unknown
  getAttribute(name: string): string | null
}

type AttributeTest = { name: string; holds(value: string): boolean }

/** Part of a selector between two spaces: a name, and tests of attributes. */
type Compound = { tag: string | undefined; attributes: readonly AttributeTest[] }

/** One selector of a list: what the element is, and within what it stands. */
export type Path = {
  tag: string | undefined
  /** Attributes that the element must have. */
  attributes: readonly string[]
  /** True when it is a name and nothing else. */
  isTag: boolean
  matches(element: Selectable): boolean
}

/** A list of selectors of names, classes, ids and attributes, one within another. */
export type Selector = {
  paths: readonly Path[]
  /** Names of elements, when the list is of nothing else. */
  tags: ReadonlySet<string> | undefined
  /** Attributes of which an element must have one; undefined when it may have none. */
  attributes: ReadonlySet<string> | undefined
}

/** Attributes of HTML whose values are compared without regard to case (HTML §4.16.2). */
const anyCase: ReadonlySet<string> = new Set(
  `accept accept-charset align alink axis bgcolor charset checked clear codetype color compact declare defer dir direction
  disabled enctype face frame hreflang http-equiv lang language link media method multiple nohref noresize noshade nowrap
  readonly rel rev rules scope scrolling selected shape target text type valign valuetype vlink`.split(/\s+/),
)

const tests: Readonly<Record<string, (wanted: string) => (value: string) => boolean>> = {
  '=': wanted => value => value === wanted,
  '*=': wanted => value => wanted !== '' && value.includes(wanted),
  '^=': wanted => value => wanted !== '' && value.startsWith(wanted),
  '$=': wanted => value => wanted !== '' && value.endsWith(wanted),
  '~=': wanted =>
    wanted === '' || /\s/.test(wanted)
      ? () => false
      : value => value.includes(wanted) && value.split(/[ \t\n\f\r]+/).includes(wanted),
}

const exists = () => true

const attributeTest = (name: string, operator: string | undefined, wanted: string): AttributeTest => {
  const test = operator === undefined ? undefined : tests[operator]
  if (!test) return { name, holds: exists }
  if (!anyCase.has(name)) return { name, holds: test(wanted) }
  const holds = test(wanted.toLowerCase())
  return { name, holds: value => holds(value.toLowerCase()) }
}

const tagPart = /^(?:\*|[a-z][\w-]*)/i
const simplePart = /[.#]([a-z_][\w-]*)|\[([a-z][\w-]*)(?:([~*^$]?=)(?:"([^"\\]*)"|([a-z_][\w-]*)))?\]/iy

const parseCompound = (text: string): Compound | undefined => {
  const tag = tagPart.exec(text)?.[0]
  const attributes: AttributeTest[] = []
  simplePart.lastIndex = tag?.length ?? 0
  while (simplePart.lastIndex < text.length) {
    const match = simplePart.exec(text)
    if (!match) return undefined
    const [whole, word = '', name, operator, quoted, bare = ''] = match
    if (name !== undefined) attributes.push(attributeTest(name.toLowerCase(), operator, quoted ?? bare))
    else
      attributes.push(attributeTest(whole[0] === '.' ? 'class' : 'id', whole[0] === '.' ? '~=' : '=', word))
  }
  if (tag === undefined && attributes.length === 0) return undefined
  return { tag: tag === undefined || tag === '*' ? undefined : tag.toLowerCase(), attributes }
}

const matchesCompound = ({ tag, attributes }: Compound, element: Selectable): boolean => {
  if (tag !== undefined && element.localName !== tag) return false
  for (const { name, holds } of attributes) {
    const value = element.getAttribute(name)
    if (value === null || !holds(value)) return false
  }
  return true
}

/** True when all compounds stand around an element, the last one innermost: the nearest that fits leaves most room for the others. */
const isWithin = (element: Selectable, outer: readonly Compound[]): boolean => {
  let left = outer.length
  let at = element.parentNode as Selectable | null
  while (left > 0 && at !== null && at.nodeType === 1) {
    if (matchesCompound(outer[left - 1] as Compound, at)) left--
    at = at.parentNode as Selectable | null
  }
  return left === 0
}

/** Undefined for a path with a part that is no compound. */
const parsePath = (text: string): Path | undefined => {
  const parts = text.split(/\s+(?![^[]*\])/)
  const outer = parts.flatMap(part => parseCompound(part) ?? [])
  const target = outer.pop()
  if (!target || outer.length + 1 < parts.length) return undefined
  return {
    tag: target.tag,
    attributes: target.attributes.map(({ name }) => name),
    matches: element => matchesCompound(target, element) && isWithin(element, outer),
    isTag: target.tag !== undefined && target.attributes.length + outer.length === 0,
  }
}

const parseSelectorList = (text: string): Selector | undefined => {
  const paths = text.split(/,(?![^[]*\])/).map(part => parsePath(part.trim()))
  if (!paths.every(path => path !== undefined)) return undefined
  return {
    paths,
    tags: paths.every(({ isTag }) => isTag) ? new Set(paths.flatMap(({ tag }) => tag ?? [])) : undefined,
    attributes: paths.every(({ attributes }) => attributes.length > 0)
      ? new Set(paths.flatMap(({ attributes }) => attributes[0] ?? []))
      : undefined,
  }
}

/** Cache of selectors, since the same few are asked again and again. */
const cache = new Map<string, Selector | undefined>()

/** Reads a selector; undefined for one that says more than names, classes, ids and attributes within each other. */
export const parseSelector = (text: string): Selector | undefined => {
  if (cache.has(text)) return cache.get(text)
  const selector = parseSelectorList(text)
  if (cache.size < 500 && text.length < 1000) cache.set(text, selector)
  return selector
}
