/** What skills use of a DOM element. */
export type Element = {
  readonly localName: string
  readonly textContent: string | null
  readonly parentNode: Element | null
  getAttribute(name: string): string | null
  querySelector(selector: string): Element | null
  querySelectorAll(selector: string): Iterable<Element>
}

/** A node as the tree builder handles it; linkedom's own types need the DOM library. */
export type Node = {
  readonly nodeType: number
  nodeValue: string | null
  readonly localName: string
  readonly parentNode: Node | null
  readonly firstChild: Node | null
  readonly lastChild: Node | null
  readonly previousSibling: Node | null
  readonly childNodes: Node[]
  appendChild(node: Node): void
  insertBefore(node: Node, before: Node): void
  remove(): void
  hasAttribute(name: string): boolean
  setAttribute(name: string, value: string): void
}

/** A document that makes its nodes. */
export type Document = Node & {
  createElement(name: string): Node
  createElementNS(namespace: string, name: string): Node
  createTextNode(text: string): Node
  createComment(text: string): Node
  createDocumentFragment(): Node
}
