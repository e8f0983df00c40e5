import type { html as parse5, Token, TreeAdapter, TreeAdapterTypeMap } from 'parse5'
import type { Document } from './element.ts'
import { limits, openCounter } from './limits.ts'
import { type Linked, linksBy } from './linked-nodes.ts'
import { html, type Nodes } from './nodes.ts'

type Types = TreeAdapterTypeMap<
  Linked,
  Linked,
  Linked,
  Linked,
  Linked,
  Linked,
  Linked,
  Linked,
  Linked,
  Linked
>

type Field<Value> = Linked & Record<symbol, Value>

type Named = Linked & { localName: string; childNodes: Linked[]; firstChild: Linked | null }

const nameOf = ({ prefix, name }: Token.Attribute): string => (prefix ? `${prefix}:${name}` : name)

/** A tree builder for parse5 that links linkedom's nodes into `document` and stops the parser at the limits. */
export const treeAdapterFor = (nodes: Nodes, document: Document, mostNodes: number): TreeAdapter<Types> => {
  const { Text, Comment, Attribute, element, fields } = nodes
  const { value, given, namespace } = fields
  const { put, putBehind, take, endOf, before, lastAttribute } = linksBy(fields)
  const root = document as unknown as Linked
  const count = openCounter(mostNodes)
  const contents = new Map<Linked, Linked>()
  let mode = parse5NoQuirks

  const addText = (parent: Linked, text: string, place: Linked) => {
    const left = before(place)
    if (left.nodeType === 3) {
      ;(left as Field<string>)[value] += text
      return
    }
    count.node()
    put(parent, new Text(document, text), place)
  }

  const move = (parent: Linked, node: Linked, place: Linked) => {
    if (node.parentNode) take(node)
    put(parent, node, place)
  }

  const addAttributes = (owner: Linked, attributes: readonly Token.Attribute[]) => {
    let last = lastAttribute(owner)
    for (const attribute of attributes.slice(0, limits.attributes)) {
      count.attribute()
      const next = new Attribute(document, nameOf(attribute), attribute.value, owner)
      putBehind(last, next)
      last = next
    }
  }

  const hasAttribute = (owner: Linked, name: string) =>
    (owner as unknown as { hasAttribute(name: string): boolean }).hasAttribute(name)

  return {
    createDocument: () => root,
    createDocumentFragment: () => document.createDocumentFragment() as unknown as Linked,
    createElement(name, space, attributes) {
      count.node()
      const made = element(document, name, space)
      if (attributes.length > 0) {
        ;(made as Field<Token.Attribute[]>)[given] = attributes
        addAttributes(made, attributes)
      }
      return made
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
        attributes.filter(attribute => !hasAttribute(owner, nameOf(attribute))),
      ),
    setTemplateContent: (template, content) => void contents.set(template, content),
    getTemplateContent: template => contents.get(template) ?? template,
    setDocumentType() {},
    setDocumentMode: (_, next) => {
      mode = next
    },
    getDocumentMode: () => mode,
    getFirstChild: node => (node as Named).firstChild,
    getChildNodes: node => (node as Named).childNodes,
    getParentNode: node => node.parentNode,
    getAttrList: owner => (owner as Field<Token.Attribute[]>)[given] ?? [],
    getTagName: owner => (owner as Named).localName,
    getNamespaceURI: owner => ((owner as Field<string>)[namespace] ?? html) as parse5.NS,
    getTextNodeContent: node => (node as Field<string>)[value] ?? '',
    getCommentNodeContent: node => (node as Field<string>)[value] ?? '',
    getDocumentTypeNodeName: () => 'html',
    getDocumentTypeNodePublicId: () => '',
    getDocumentTypeNodeSystemId: () => '',
    isTextNode: (node): node is Linked => node.nodeType === 3,
    isCommentNode: (node): node is Linked => node.nodeType === 8,
    isDocumentTypeNode: (node): node is Linked => node.nodeType === 10,
    isElementNode: (node): node is Linked => node.nodeType === 1,
    setNodeSourceCodeLocation() {},
    getNodeSourceCodeLocation: () => null,
    updateNodeSourceCodeLocation() {},
    onItemPush: () => count.open(),
    onItemPop: () => count.close(),
  }
}

const parse5NoQuirks = 'no-quirks' as parse5.DOCUMENT_MODE
