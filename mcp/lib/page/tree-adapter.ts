import type { html as parse5, Token, TreeAdapter, TreeAdapterTypeMap } from 'parse5'
import type { Document } from './element.ts'
import { limits, openCounter } from './limits.ts'
import { type LinkedNode, linksBy } from './linked-nodes.ts'
import { htmlNamespace, type Nodes } from './nodes.ts'

type Types = TreeAdapterTypeMap<
  LinkedNode,
  LinkedNode,
  LinkedNode,
  LinkedNode,
  LinkedNode,
  LinkedNode,
  LinkedNode,
  LinkedNode,
  LinkedNode,
  LinkedNode
>

type Field<Value> = LinkedNode & Record<symbol, Value>

type NamedNode = LinkedNode & { localName: string; childNodes: LinkedNode[]; firstChild: LinkedNode | null }

const qualifiedName = ({ prefix, name }: Token.Attribute): string => (prefix ? `${prefix}:${name}` : name)

/** A tree builder for parse5 that links linkedom's nodes into `document` and stops the parser at the limits. */
export const treeAdapterFor = (nodes: Nodes, document: Document, maxNodes: number): TreeAdapter<Types> => {
  const { Text, Comment, Attribute, element, fields } = nodes
  const { value, given, namespace } = fields
  const { put, putBehind, take, endOf, before, lastAttribute } = linksBy(fields)
  const root = document as unknown as LinkedNode
  const count = openCounter(maxNodes)
  const contents = new Map<LinkedNode, LinkedNode>()
  let mode = parse5NoQuirks

  const addText = (parent: LinkedNode, text: string, place: LinkedNode) => {
    const previous = before(place)
    if (previous.nodeType === 3) {
      ;(previous as Field<string>)[value] += text
      return
    }
    count.node()
    put(parent, new Text(document, text), place)
  }

  const move = (parent: LinkedNode, node: LinkedNode, place: LinkedNode) => {
    if (node.parentNode) take(node)
    put(parent, node, place)
  }

  const addAttributes = (owner: LinkedNode, attributes: readonly Token.Attribute[]) => {
    let last = lastAttribute(owner)
    for (const attribute of attributes.slice(0, limits.attributes)) {
      count.attribute()
      const next = new Attribute(document, qualifiedName(attribute), attribute.value, owner)
      putBehind(last, next)
      last = next
    }
  }

  const hasAttribute = (owner: LinkedNode, name: string) =>
    (owner as unknown as { hasAttribute(name: string): boolean }).hasAttribute(name)

  return {
    createDocument: () => root,
    createDocumentFragment: () => document.createDocumentFragment() as unknown as LinkedNode,
    createElement(name, space, attributes) {
      count.node()
      const newElement = element(document, name, space)
      if (attributes.length > 0) {
        ;(newElement as Field<Token.Attribute[]>)[given] = attributes
        addAttributes(newElement, attributes)
      }
      return newElement
    },
    createCommentNode(data) {
      count.node()
      return new Comment(document, data)
    },
    createTextNode(text) {
      count.node()
      return new Text(document, text)
    },
    appendChild: (parent, node) => move(parent, node, endOf(parent)),
    insertBefore: move,
    detachNode: take,
    insertText: (parent, text) => addText(parent, text, endOf(parent)),
    insertTextBefore: addText,
    adoptAttributes: (owner, attributes) =>
      addAttributes(
        owner,
        attributes.filter(attribute => !hasAttribute(owner, qualifiedName(attribute))),
      ),
    setTemplateContent: (template, content) => void contents.set(template, content),
    getTemplateContent: template => contents.get(template) ?? template,
    setDocumentType() {},
    setDocumentMode: (_, next) => {
      mode = next
    },
    getDocumentMode: () => mode,
    getFirstChild: node => (node as NamedNode).firstChild,
    getChildNodes: node => (node as NamedNode).childNodes,
    getParentNode: node => node.parentNode,
    getAttrList: owner => (owner as Field<Token.Attribute[]>)[given] ?? [],
    getTagName: owner => (owner as NamedNode).localName,
    getNamespaceURI: owner => ((owner as Field<string>)[namespace] ?? htmlNamespace) as parse5.NS,
    getTextNodeContent: node => (node as Field<string>)[value] ?? '',
    getCommentNodeContent: node => (node as Field<string>)[value] ?? '',
    getDocumentTypeNodeName: () => 'html',
    getDocumentTypeNodePublicId: () => '',
    getDocumentTypeNodeSystemId: () => '',
    isTextNode: (node): node is LinkedNode => node.nodeType === 3,
    isCommentNode: (node): node is LinkedNode => node.nodeType === 8,
    isDocumentTypeNode: (node): node is LinkedNode => node.nodeType === 10,
    isElementNode: (node): node is LinkedNode => node.nodeType === 1,
    setNodeSourceCodeLocation() {},
    getNodeSourceCodeLocation: () => null,
    updateNodeSourceCodeLocation() {},
    onItemPush: () => count.open(),
    onItemPop: () => count.close(),
  }
}

const parse5NoQuirks = 'no-quirks' as parse5.DOCUMENT_MODE
