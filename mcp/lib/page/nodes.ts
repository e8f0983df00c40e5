import type { Document, Node } from './element.ts'
import { finderBy } from './find.ts'
import { findFields, type LinkedNode, type NodeFields } from './linked-nodes.ts'
import { type Inherited, membersBy } from './members.ts'

/** The part of linkedom that opens documents. */
export type Linkedom = { parseHTML(markup: string): { document: unknown } }

export const htmlNamespace = 'http://www.w3.org/1999/xhtml'
const svg = 'http://www.w3.org/2000/svg'

type Selecting = {
  querySelector(selector: string): LinkedNode | null
  querySelectorAll(selector: string): LinkedNode[]
}

/** Prototypes are kept for the names of HTML, not for all that a hostile page makes up. */
const maxNames = 200

type NewNode = Record<string | symbol, unknown>

/** A constructor of objects with one of linkedom's prototypes: its own constructors set up listeners for every node. */
const maker = <Args extends unknown[]>(prototype: object, fill: (this: NewNode, ...args: Args) => void) => {
  fill.prototype = prototype
  return fill as unknown as new (
    ...args: Args
  ) => LinkedNode
}

const characters = (sample: Node, fields: NodeFields) => {
  const { localName, nodeType } = sample
  return maker(Object.getPrototypeOf(sample), function (document: Document, data: string) {
    this.nodeType = nodeType
    this.parentNode = null
    this[fields.next] = null
    this[fields.prev] = null
    this[fields.value] = data
    this.localName = localName
    this.ownerDocument = document
  })
}

const attributes = (sample: object, fields: NodeFields) =>
  maker(
    Object.getPrototypeOf(sample),
    function (document: Document, name: string, value: string, owner: LinkedNode) {
      this.nodeType = 2
      this.parentNode = null
      this[fields.next] = null
      this[fields.prev] = null
      this[fields.value] = value
      this[fields.changed] = false
      this.localName = name
      this.name = name
      this.ownerElement = owner
      this.ownerDocument = document
    },
  )

const ends = (fields: NodeFields) =>
  maker(Object.prototype, function (document: Document, start: unknown) {
    this.nodeType = -1
    this.parentNode = null
    this[fields.next] = null
    this[fields.prev] = start
    this[fields.start] = start
    this.ownerDocument = document
  })

const elements = (prototype: object, fields: NodeFields, End: ReturnType<typeof ends>) =>
  maker(prototype, function (document: Document, name: string, namespace: string) {
    this.nodeType = 1
    this.parentNode = null
    this[fields.next] = this[fields.end] = new End(document, this)
    this[fields.prev] = null
    this.localName = name
    this.ownerDocument = document
    this[fields.namespace] = namespace
    this[fields.given] = none
  })

const none: readonly never[] = []

const findSetter = (node: object, name: string): ((this: unknown, value: unknown) => void) => {
  for (let at: object | null = node; at; at = Object.getPrototypeOf(at)) {
    const setter = Object.getOwnPropertyDescriptor(at, name)?.set
    if (setter) return setter
  }
  throw new Error(`this linkedom cannot set ${name}`)
}

const toAnimatedString = (text: string) => ({ baseVal: text, animVal: text })

/**
 * Learns from linkedom how its nodes are made, and gives what makes the same many times faster: they are linkedom's nodes
 * but for listeners, observers and custom elements, which no page that is read has.
 */
export const openNodes = ({ parseHTML }: Linkedom, setInner: Inherited['setInner']) => {
  const sample = parseHTML('<p class="a">x<!--c--></p>').document as Document
  const p = sample.firstChild as Node & Selecting & { getAttributeNode(name: string): object }
  const [text, comment] = p.childNodes as [Node, Node]
  const fields = findFields(p, p.getAttributeNode('class'))
  const End = ends(fields)
  const find = finderBy(fields)
  const members = membersBy(fields, {
    setText: findSetter(p, 'textContent'),
    setInner,
    select: p.querySelectorAll,
    selectFirst: p.querySelector,
  })
  const makers = new Map<string, ReturnType<typeof elements>>()

  const extended = (plain: Node, more: PropertyDescriptorMap = {}) =>
    elements(Object.create(Object.getPrototypeOf(plain), { ...members, ...more }), fields, End)

  const makerFor = (name: string) => {
    const cachedMaker = makers.get(name)
    if (cachedMaker) return cachedMaker
    const tagName = { value: name.toUpperCase() }
    const newMaker = extended(sample.createElement(name), { tagName, nodeName: tagName })
    if (makers.size < maxNames) makers.set(name, newMaker)
    return newMaker
  }

  const ForeignElement = extended(sample.createElement('math'))
  const Svg = extended(sample.createElementNS(svg, 'svg'), {
    className: {
      get(this: { getAttribute(name: string): string | null }) {
        return toAnimatedString(this.getAttribute('class') ?? '')
      },
    },
    ownerSVGElement: { value: null, writable: true },
  })

  const element = (document: Document, name: string, namespace: string): LinkedNode => {
    const Maker = namespace === htmlNamespace ? makerFor(name) : namespace === svg ? Svg : ForeignElement
    return new Maker(document, name, namespace)
  }

  return {
    fields,
    element,
    Text: characters(text, fields),
    Comment: characters(comment, fields),
    Attribute: attributes(p.getAttributeNode('class'), fields),
    /** An empty document of its own, which makes elements of this kind too. */
    document(): Document {
      const document = parseHTML('').document as Document & Selecting
      while (document.firstChild) document.firstChild.remove()
      const { querySelectorAll: select, querySelector: selectFirst } = document
      return Object.assign(document, {
        createElement: (name: string) =>
          element(document, name.toLowerCase(), htmlNamespace) as LinkedNode & Node,
        getElementsByTagName: (name: string) => find.byName(document, name),
        querySelectorAll: (selector: string) =>
          find.bySelector(document, selector) ?? select.call(document, selector),
        querySelector(selector: string) {
          const found = find.bySelector(document, selector, 1)
          return found ? (found[0] ?? null) : selectFirst.call(document, selector)
        },
      })
    },
  }
}

export type Nodes = ReturnType<typeof openNodes>
