/** A DOM element as skills use it. */
export type Element = {
  readonly localName: string
  readonly textContent: string | null
  readonly parentNode: Element | null
  getAttribute(name: string): string | null
  querySelector(selector: string): Element | null
  querySelectorAll(selector: string): Iterable<Element>
  /** The same for a plain name, faster. */
  getElementsByTagName(name: string): Iterable<Element>
}

/** A node as walkers of a tree use it: an element (`nodeType` 1), a text (3) or another node. */
export type Content = {
  readonly nodeType: number
  readonly localName: string
  readonly nodeValue: string | null
  readonly parentNode: Content | null
  readonly firstChild: Content | null
  readonly nextSibling: Content | null
  readonly textContent: string | null
  readonly innerHTML: string
  getAttribute(name: string): string | null
  getAttributeNames(): string[]
}

/** The children of a node, in order. */
export function* iterateChildren(node: Content): Generator<Content> {
  for (let child = node.firstChild; child; child = child.nextSibling) yield child
}
