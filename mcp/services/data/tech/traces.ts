import type { Element } from '../../../lib/page/element.ts'
import { readBase } from '../../../lib/page/link.ts'
import { readMetaTags } from '../../../lib/page/meta-tags.ts'

/** An address that the page loads from: it runs or shows it, only prepares for it, or shows it as an image. */
export type PageResource = { url: URL; use: 'load' | 'hint' | 'image' }

/** All of a page that fingerprints look at. */
export type Traces = {
  resources: PageResource[]
  metas: ReadonlyMap<string, readonly string[]>
  /** Text of the scripts in the page. */
  inline: string
  /** `#id`, `.class`, `[attribute]`, `[attribute=value]`, `<custom-element>`. */
  marks: ReadonlySet<string>
  attributes: ReadonlyMap<string, string>
}

const limits = { loads: 400, images: 200, script: 200_000, elements: 60_000, marks: 30_000, attributes: 200 }

type AttributedElement = Element & { getAttributeNames(): string[] }

const useOfLink = (rel: string): PageResource['use'] | undefined => {
  if (/\b(?:stylesheet|preload|modulepreload)\b/.test(rel)) return 'load'
  return /\b(?:preconnect|dns-prefetch)\b/.test(rel) ? 'hint' : undefined
}

const readSource = (element: Element): readonly [string | null, PageResource['use'] | undefined] => {
  const source = element.getAttribute('src') || element.getAttribute('data-src')
  switch (element.localName) {
    case 'script':
    case 'iframe':
    case 'video':
    case 'audio':
    case 'source':
    case 'embed':
      return [source, 'load']
    case 'img':
      return [source, 'image']
    case 'form':
      return [element.getAttribute('action'), 'load']
    case 'link':
      return [element.getAttribute('href'), useOfLink((element.getAttribute('rel') ?? '').toLowerCase())]
    default:
      return [null, undefined]
  }
}

/** Attributes whose values tell something too. */
const valuedAttributes = new Set(['name', 'data-testid', 'data-page'])

const scriptTypes = /^(?:$|module$|text\/(?:javascript|partytown|plain)$|application\/(?:x-)?javascript$)/i

const openTraces = (document: Element, pageUrl: string) => {
  const base = readBase(document, pageUrl)
  const resources = new Map<string, PageResource>()
  const remaining = { load: limits.loads, hint: limits.images, image: limits.images }
  const marks = new Set<string>()
  const attributes = new Map<string, string>()
  const scripts: string[] = []
  let scriptLength = 0

  const addResource = (href: string | null, use: PageResource['use'] | undefined) => {
    const text = href?.trim()
    if (!text || !use || text.length > 1000 || remaining[use] <= 0 || !URL.canParse(text, base)) return
    const url = new URL(text, base)
    const key = `${use} ${url.host}${url.pathname}`
    if ((url.protocol !== 'http:' && url.protocol !== 'https:') || resources.has(key)) return
    remaining[use] -= 1
    resources.set(key, { url, use })
  }

  const addScript = (element: Element) => {
    if (element.getAttribute('src') || !scriptTypes.test(element.getAttribute('type') ?? '')) return
    const code = (element.textContent ?? '').slice(0, limits.script - scriptLength)
    scriptLength += code.length
    if (code !== '') scripts.push(code)
  }

  const addMark = (mark: string) => {
    if (marks.size < limits.marks && mark.length <= 120) marks.add(mark)
  }

  const addAttribute = (name: string, value: string) => {
    addMark(`[${name}]`)
    if (valuedAttributes.has(name)) addMark(`[${name}=${value.slice(0, 60)}]`)
    if (name === 'id') addMark(`#${value}`)
    if (name === 'class') for (const token of value.slice(0, 2000).split(/\s+/)) addMark(`.${token}`)
    if (attributes.size < limits.attributes && !attributes.has(name))
      attributes.set(name, value.slice(0, 100))
  }

  return {
    add(element: AttributedElement) {
      addResource(...readSource(element))
      if (element.localName === 'script') addScript(element)
      if (element.localName.includes('-')) addMark(`<${element.localName}>`)
      for (const name of element.getAttributeNames()) addAttribute(name, element.getAttribute(name) ?? '')
    },
    traces: (): Traces => ({
      resources: [...resources.values()],
      metas: readMetaTags(document),
      inline: scripts.join('\n'),
      marks,
      attributes,
    }),
  }
}

/** Gathers what fingerprints look at in one pass over a page. */
export const collectTraces = (document: Element, pageUrl: string): Traces => {
  const gathering = openTraces(document, pageUrl)
  let elements = 0
  for (const element of document.querySelectorAll('*')) {
    if (++elements > limits.elements) break
    gathering.add(element as AttributedElement)
  }
  return gathering.traces()
}
