import { compile } from 'css-select'
import type { Selector } from 'css-what'
import {
  Parser,
  type html as parse5,
  parseFragment,
  serialize,
  type Token,
  type TreeAdapter,
  type TreeAdapterTypeMap,
} from 'parse5'
import { limits, openCounter } from './limits.ts'

const htmlNamespace = 'http://www.w3.org/1999/xhtml'

/** Values of `nodeType` (DOM §4.4). */
const nodeTypes = { element: 1, text: 3, comment: 8, document: 9, fragment: 11 } as const

type Attribute = { name: string; value: string }

/** The node behind this one in the order of the page, within `root`. */
const following = (node: PageNode, root: PageNode): PageNode | null => {
  if (node.firstChild) return node.firstChild
  for (let at: PageNode | null = node; at && at !== root; at = at.parentNode)
    if (at.nextSibling) return at.nextSibling
  return null
}

function* iterateElements(root: PageNode): Generator<PageNode> {
  for (let at = following(root, root); at; at = following(at, root))
    if (at.nodeType === nodeTypes.element) yield at
}

/** The node itself or the next on its side that is an element. */
const elementFrom = (node: PageNode | null, side: 'nextSibling' | 'previousSibling'): PageNode | null => {
  let at = node
  while (at && at.nodeType !== nodeTypes.element) at = at[side]
  return at
}

const selectAdapter = {
  isTag: (node: PageNode): node is PageNode => node.nodeType === nodeTypes.element,
  getAttributeValue: (element: PageNode, name: string) => element.getAttribute(name) ?? undefined,
  getChildren: (node: PageNode) => node.childNodes,
  getName: (element: PageNode) => element.localName,
  getParent: (element: PageNode) => element.parentNode,
  getSiblings: (node: PageNode) => node.parentNode?.childNodes ?? [node],
  prevElementSibling: (node: PageNode) => node.previousElementSibling,
  getText: (node: PageNode) => node.textContent,
  hasAttrib: (element: PageNode, name: string) => element.hasAttribute(name),
  removeSubsets: (nodes: PageNode[]) => nodes,
}

const simpleName = /^[a-z][a-z0-9]*$/

const displayDeclaration = /(?:^|;)\s{0,20}(display|visibility)\s{0,20}:\s{0,20}([a-z-]{1,20})/gi

/**
 * A node of a page with the members of the DOM standard that extractors and Readability use: an element, a text, a comment, a document
 * or a fragment. There are no events, observers or live lists; `style` has `display` and `visibility`, to be read only.
 */
export class PageNode {
  readonly nodeType: number
  /** The name of an element; empty for other nodes. */
  readonly localName: string
  readonly namespaceURI: string
  readonly ownerDocument: PageNode
  parentNode: PageNode | null = null
  firstChild: PageNode | null = null
  lastChild: PageNode | null = null
  nextSibling: PageNode | null = null
  previousSibling: PageNode | null = null
  /** The text of a text or a comment. */
  nodeValue: string | null
  /** What is in a `template`, which is no part of the page. */
  content: PageNode | undefined = undefined
  private attributeList: Attribute[] = []
  private nodeList: PageNode[] | undefined = undefined

  constructor(document: PageNode | undefined, nodeType: number, text = '', namespace = htmlNamespace) {
    const isElement = nodeType === nodeTypes.element
    this.nodeType = nodeType
    this.localName = isElement ? text : ''
    this.namespaceURI = namespace
    this.ownerDocument = document ?? this
    this.nodeValue = nodeType === nodeTypes.text || nodeType === nodeTypes.comment ? text : null
  }

  get tagName(): string | undefined {
    return this.nodeType === nodeTypes.element ? this.localName.toUpperCase() : undefined
  }

  get nodeName(): string {
    if (this.nodeType === nodeTypes.text) return '#text'
    return this.tagName ?? (this.nodeType === nodeTypes.comment ? '#comment' : '#document')
  }

  get childNodes(): PageNode[] {
    if (this.nodeList) return this.nodeList
    const nodes: PageNode[] = []
    for (let child = this.firstChild; child; child = child.nextSibling) nodes.push(child)
    this.nodeList = nodes
    return nodes
  }

  get children(): PageNode[] {
    return this.childNodes.filter(selectAdapter.isTag)
  }

  get firstElementChild(): PageNode | null {
    return elementFrom(this.firstChild, 'nextSibling')
  }

  get nextElementSibling(): PageNode | null {
    return elementFrom(this.nextSibling, 'nextSibling')
  }

  get previousElementSibling(): PageNode | null {
    return elementFrom(this.previousSibling, 'previousSibling')
  }

  get documentElement(): PageNode | null {
    return this.firstElementChild
  }

  get body(): PageNode | null {
    return this.documentElement?.children.find(({ localName }) => localName === 'body') ?? null
  }

  get title(): string {
    return this.getElementsByTagName('title')[0]?.textContent ?? ''
  }

  get id(): string {
    return this.getAttribute('id') ?? ''
  }

  set id(value: string) {
    this.setAttribute('id', value)
  }

  get className(): string {
    return this.getAttribute('class') ?? ''
  }

  set className(value: string) {
    this.setAttribute('class', value)
  }

  get src(): string {
    return this.getAttribute('src') ?? ''
  }

  get srcset(): string {
    return this.getAttribute('srcset') ?? ''
  }

  get style(): { display: string; visibility: string } {
    const style = { display: '', visibility: '' }
    for (const [, name = '', value = ''] of (this.getAttribute('style') ?? '').matchAll(displayDeclaration))
      style[name.toLowerCase() as keyof typeof style] = value.toLowerCase()
    return style
  }

  get textContent(): string {
    if (this.nodeValue !== null) return this.nodeValue
    let text = ''
    for (let at = following(this, this); at; at = following(at, this))
      if (at.nodeType === nodeTypes.text) text += at.nodeValue
    return text
  }

  set textContent(text: string) {
    this.removeChildren()
    if (text !== '') this.appendChild(this.ownerDocument.createTextNode(text))
  }

  /** HTML §13.3. */
  get innerHTML(): string {
    return serialize(this, { treeAdapter: treeAdapterFor(this.ownerDocument), scriptingEnabled: false })
  }

  set innerHTML(markup: string) {
    const treeAdapter = treeAdapterFor(this.ownerDocument, limits.nodes)
    const fragment = parseFragment(this, markup, { treeAdapter, scriptingEnabled: false })
    this.removeChildren()
    this.appendChild(fragment)
  }

  get attributes(): (Attribute & { cloneNode(): Attribute })[] {
    return this.attributeList.map(attribute => ({ ...attribute, cloneNode: () => ({ ...attribute }) }))
  }

  /** Adds those that the element does not have. */
  addAttributes(attributes: readonly Attribute[]): void {
    const isNew = this.attributeList.length === 0
    for (const attribute of attributes)
      if (isNew || !this.hasAttribute(attribute.name)) this.attributeList.push(attribute)
  }

  getAttribute(name: string): string | null {
    for (const attribute of this.attributeList) if (attribute.name === name) return attribute.value
    return null
  }

  hasAttribute(name: string): boolean {
    return this.attributeList.some(attribute => attribute.name === name)
  }

  getAttributeNames(): string[] {
    return this.attributeList.map(({ name }) => name)
  }

  setAttribute(name: string, value: string): void {
    const attribute = this.attributeList.find(each => each.name === name)
    if (attribute) attribute.value = value
    else this.attributeList.push({ name, value })
  }

  setAttributeNode({ name, value }: Attribute): void {
    this.setAttribute(name, value)
  }

  removeAttribute(name: string): void {
    this.attributeList = this.attributeList.filter(attribute => attribute.name !== name)
  }

  /** Moves a node, or what is in a fragment, into this one before a child of it; null stands for the end. */
  insertBefore(node: PageNode, place: PageNode | null): PageNode {
    if (node.nodeType === nodeTypes.fragment) {
      for (const child of node.childNodes) this.insertBefore(child, place)
      return node
    }
    node.remove()
    const left = place ? place.previousSibling : this.lastChild
    node.parentNode = this
    node.previousSibling = left
    node.nextSibling = place
    if (left) left.nextSibling = node
    else this.firstChild = node
    if (place) place.previousSibling = node
    else this.lastChild = node
    this.nodeList = undefined
    return node
  }

  appendChild(node: PageNode): PageNode {
    return this.insertBefore(node, null)
  }

  replaceChild(node: PageNode, child: PageNode): PageNode {
    if (node === child) return child
    this.insertBefore(node, child)
    return this.removeChild(child)
  }

  removeChild(child: PageNode): PageNode {
    child.remove()
    return child
  }

  remove(): void {
    const { parentNode, previousSibling, nextSibling } = this
    if (!parentNode) return
    if (previousSibling) previousSibling.nextSibling = nextSibling
    else parentNode.firstChild = nextSibling
    if (nextSibling) nextSibling.previousSibling = previousSibling
    else parentNode.lastChild = previousSibling
    parentNode.nodeList = undefined
    this.parentNode = null
    this.previousSibling = null
    this.nextSibling = null
  }

  private removeChildren(): void {
    for (const child of this.childNodes) child.remove()
  }

  createElement(name: string): PageNode {
    return new PageNode(this, nodeTypes.element, name.toLowerCase())
  }

  createTextNode(text: string): PageNode {
    return new PageNode(this, nodeTypes.text, text)
  }

  getElementsByTagName(name: string): PageNode[] {
    const localName = name.toLowerCase()
    const elements: PageNode[] = []
    for (const element of iterateElements(this))
      if (localName === '*' || element.localName === localName) elements.push(element)
    return elements
  }

  /** A test of a selector. It remembers answers, so that it holds as long as the page is not changed. Throws when it cannot be read. */
  matcher(selector: string | Selector[][]): (node: PageNode) => boolean {
    return compile<PageNode, PageNode>(selector, { adapter: selectAdapter })
  }

  /** Throws when the selector cannot be read. */
  querySelectorAll(selector: string): PageNode[] {
    if (selector === '*' || simpleName.test(selector)) return this.getElementsByTagName(selector)
    return [...iterateElements(this)].filter(this.matcher(selector))
  }

  querySelector(selector: string): PageNode | null {
    const isMatch = this.matcher(selector)
    for (const element of iterateElements(this)) if (isMatch(element)) return element
    return null
  }
}

type Types = TreeAdapterTypeMap<
  PageNode,
  PageNode,
  PageNode,
  PageNode,
  PageNode,
  PageNode,
  PageNode,
  PageNode,
  PageNode,
  PageNode
>

const qualifiedName = ({ prefix, name }: Token.Attribute): string => (prefix ? `${prefix}:${name}` : name)

/** A tree builder for parse5 that links nodes into `document`, and stops the parser at the limits. */
const treeAdapterFor = (document: PageNode, maxNodes: number = limits.nodes): TreeAdapter<Types> => {
  const count = openCounter(maxNodes)
  let mode = 'no-quirks' as parse5.DOCUMENT_MODE

  const addText = (parent: PageNode, text: string, place: PageNode | null) => {
    const previous = place ? place.previousSibling : parent.lastChild
    if (previous?.nodeType === nodeTypes.text) {
      previous.nodeValue += text
      return
    }
    count.node()
    parent.insertBefore(document.createTextNode(text), place)
  }

  const toAttributes = (attributes: readonly Token.Attribute[]) =>
    attributes.slice(0, limits.attributes).map(attribute => {
      count.attribute()
      return { name: qualifiedName(attribute), value: attribute.value }
    })

  return {
    createDocument: () => document,
    createDocumentFragment: () => new PageNode(document, nodeTypes.fragment),
    createElement(name, namespace, attributes) {
      count.node()
      const element = new PageNode(document, nodeTypes.element, name, namespace)
      if (attributes.length > 0) element.addAttributes(toAttributes(attributes))
      return element
    },
    createCommentNode(text) {
      count.node()
      return new PageNode(document, nodeTypes.comment, text)
    },
    createTextNode(text) {
      count.node()
      return document.createTextNode(text)
    },
    appendChild: (parent, node) => void parent.appendChild(node),
    insertBefore: (parent, node, place) => void parent.insertBefore(node, place),
    detachNode: node => node.remove(),
    insertText: (parent, text) => addText(parent, text, null),
    insertTextBefore: addText,
    adoptAttributes: (owner, attributes) => owner.addAttributes(toAttributes(attributes)),
    setTemplateContent(template, content) {
      template.content = content
    },
    getTemplateContent: template => template.content ?? template,
    setDocumentType() {},
    setDocumentMode: (_, next) => {
      mode = next
    },
    getDocumentMode: () => mode,
    getFirstChild: node => node.firstChild,
    getChildNodes: node => node.childNodes,
    getParentNode: node => node.parentNode,
    getAttrList: element => element.attributes,
    getTagName: element => element.localName,
    getNamespaceURI: element => element.namespaceURI as parse5.NS,
    getTextNodeContent: node => node.nodeValue ?? '',
    getCommentNodeContent: node => node.nodeValue ?? '',
    getDocumentTypeNodeName: () => 'html',
    getDocumentTypeNodePublicId: () => '',
    getDocumentTypeNodeSystemId: () => '',
    isTextNode: (node): node is PageNode => node.nodeType === nodeTypes.text,
    isCommentNode: (node): node is PageNode => node.nodeType === nodeTypes.comment,
    isDocumentTypeNode: (node): node is PageNode => node.nodeType === 10,
    isElementNode: (node): node is PageNode => node.nodeType === nodeTypes.element,
    setNodeSourceCodeLocation() {},
    getNodeSourceCodeLocation: () => null,
    updateNodeSourceCodeLocation() {},
    onItemPush: () => count.open(),
    onItemPop: () => count.close(),
  }
}

/** Reads HTML as a browser does into a new document, which keeps what was read when a limit stops it: `LimitReached`. */
export const parseInto = (document: PageNode, markup: string, maxNodes: number): void => {
  const options = { treeAdapter: treeAdapterFor(document, maxNodes), scriptingEnabled: false }
  Parser.parse(markup, options)
}

export const newDocument = (): PageNode => new PageNode(undefined, nodeTypes.document)
