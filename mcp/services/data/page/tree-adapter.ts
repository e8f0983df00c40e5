import type { html, Token, TreeAdapter, TreeAdapterTypeMap } from 'parse5'
import type { Document, Node } from './element.ts'
import { limits, openCounter } from './limits.ts'

type Nodes = TreeAdapterTypeMap<Node, Node, Node, Node, Node, Node, Node, Node, Node, Node>

const isText = (node: Node | null): node is Node => node?.nodeType === 3

const isForeign = (namespace: string) => namespace !== 'http://www.w3.org/1999/xhtml'

/** A tree builder for parse5 that makes nodes of `document` and stops the parser at the limits. */
export const treeAdapterFor = (document: Document, mostNodes: number): TreeAdapter<Nodes> => {
  const count = openCounter(mostNodes)
  const namespaces = new WeakMap<Node, string>()
  const attributes = new WeakMap<Node, Token.Attribute[]>()
  const contents = new WeakMap<Node, Node>()
  let mode = 'no-quirks'

  const text = (value: string) => {
    count.node()
    return document.createTextNode(value)
  }
  const setAttribute = (element: Node, { prefix, name, value }: Token.Attribute) => {
    const full = prefix ? `${prefix}:${name}` : name
    if (!element.hasAttribute(full)) element.setAttribute(full, value)
  }

  return {
    createDocument: () => document,
    createDocumentFragment: () => document.createDocumentFragment(),
    createElement(name, namespace, attrs) {
      count.node()
      const foreign = isForeign(namespace)
      const element = foreign ? document.createElementNS(namespace, name) : document.createElement(name)
      namespaces.set(element, namespace)
      attributes.set(element, attrs)
      for (const attribute of attrs.slice(0, limits.attributes)) setAttribute(element, attribute)
      return element
    },
    createCommentNode(data) {
      count.node()
      return document.createComment(data)
    },
    createTextNode: text,
    appendChild: (parent, node) => parent.appendChild(node),
    insertBefore: (parent, node, before) => parent.insertBefore(node, before),
    detachNode: node => node.remove(),
    insertText(parent, value) {
      const last = parent.lastChild
      if (isText(last)) last.nodeValue += value
      else parent.appendChild(text(value))
    },
    insertTextBefore(parent, value, before) {
      const last = before.previousSibling
      if (isText(last)) last.nodeValue += value
      else parent.insertBefore(text(value), before)
    },
    adoptAttributes(element, attrs) {
      for (const attribute of attrs.slice(0, limits.attributes)) setAttribute(element, attribute)
    },
    setTemplateContent: (template, content) => void contents.set(template, content),
    getTemplateContent: template => contents.get(template) ?? template,
    setDocumentType() {},
    setDocumentMode: (_, next) => {
      mode = next
    },
    getDocumentMode: () => mode as html.DOCUMENT_MODE,
    getFirstChild: node => node.firstChild,
    getChildNodes: node => node.childNodes,
    getParentNode: node => node.parentNode,
    getAttrList: element => attributes.get(element) ?? [],
    getTagName: element => element.localName,
    getNamespaceURI: element => (namespaces.get(element) ?? 'http://www.w3.org/1999/xhtml') as html.NS,
    getTextNodeContent: node => node.nodeValue ?? '',
    getCommentNodeContent: node => node.nodeValue ?? '',
    getDocumentTypeNodeName: () => 'html',
    getDocumentTypeNodePublicId: () => '',
    getDocumentTypeNodeSystemId: () => '',
    isTextNode: isText,
    isCommentNode: (node): node is Node => node.nodeType === 8,
    isDocumentTypeNode: (node): node is Node => node.nodeType === 10,
    isElementNode: (node): node is Node => node.nodeType === 1,
    setNodeSourceCodeLocation() {},
    getNodeSourceCodeLocation: () => null,
    updateNodeSourceCodeLocation() {},
    onItemPush: () => count.open(),
    onItemPop: () => count.close(),
  }
}
