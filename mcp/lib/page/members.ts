import { finderBy } from './find.ts'
import type { LinkedNode, NodeFields } from './linked-nodes.ts'
import { serializerBy } from './serialize.ts'

type Attribute = LinkedNode & { name: string; value: string }

type Member = LinkedNode & {
  localName: string
  ownerDocument: { createAttribute(name: string): Attribute }
  setAttributeNode(attribute: Attribute): void
}

/** How content is replaced, by a text or by what markup says, and elements found by any selector. */
export type Inherited = {
  setText(this: unknown, text: unknown): void
  setInner(this: LinkedNode, markup: string): void
  select(this: unknown, selector: string): LinkedNode[]
  selectFirst(this: unknown, selector: string): LinkedNode | null
}

type Chain = LinkedNode & { [field: symbol]: Chain }

const kinds = { element: 1, attribute: 2, text: 3, cdata: 4 } as const

const displayDeclaration = /(?:^|;)\s{0,20}(display|visibility)\s{0,20}:\s{0,20}([a-z-]{1,20})/gi

const emptyStyle = { display: '', visibility: '' }

const stylesIn = (text: string): typeof emptyStyle => {
  const styles = { ...emptyStyle }
  for (const [, name = '', value = ''] of text.matchAll(displayDeclaration))
    styles[name.toLowerCase() as keyof typeof styles] = value.toLowerCase()
  return styles
}

/**
 * Members of linkedom's elements, as fast as reading whole pages asks for. `className` is what is written; `style` has
 * `display` and `visibility`, to be read only.
 */
export const membersBy = (
  fields: NodeFields,
  { setText, setInner, select, selectFirst }: Inherited,
): PropertyDescriptorMap & ThisType<Member> => {
  const { next, end, value, classList, namespace } = fields
  const inner = serializerBy(fields)
  const find = finderBy(fields)

  const findAttribute = (element: LinkedNode, name: string): Attribute | null => {
    let at = (element as Chain)[next] as Chain
    while (at.nodeType === kinds.attribute) {
      if ((at as unknown as Attribute).name === name) return at as unknown as Attribute
      at = at[next] as Chain
    }
    return null
  }

  const listNames = (element: LinkedNode): string[] => {
    const names: string[] = []
    for (let at = (element as Chain)[next] as Chain; at.nodeType === kinds.attribute; at = at[next] as Chain)
      names.push((at as unknown as Attribute).name)
    return names
  }

  const attributeValue = (element: LinkedNode, name: string): string | null => {
    const attribute = findAttribute(element, name) as unknown as Record<symbol, string> | null
    return attribute?.[value] ?? null
  }

  const readText = (element: LinkedNode): string => {
    const last = (element as Chain)[end]
    let text = ''
    for (let at = (element as Chain)[next] as Chain; at !== last; at = at[next] as Chain)
      if (at.nodeType === kinds.text || at.nodeType === kinds.cdata)
        text += (at as unknown as Record<symbol, string>)[value]
    return text
  }

  return {
    className: {
      get() {
        return attributeValue(this, 'class') ?? ''
      },
      set(text: unknown) {
        const classAttribute = findAttribute(this, 'class')
        const attribute = classAttribute ?? this.ownerDocument.createAttribute('class')
        attribute.value = String(text)
        Object.assign(this, { [classList]: null })
        if (!classAttribute) this.setAttributeNode(attribute)
      },
    },
    style: {
      get() {
        const text = attributeValue(this, 'style')
        return text === null ? emptyStyle : stylesIn(text)
      },
    },
    textContent: {
      get() {
        return readText(this)
      },
      set(text: unknown) {
        setText.call(this, text)
      },
    },
    innerHTML: {
      get() {
        return inner(this)
      },
      set(markup: unknown) {
        setInner.call(this, String(markup))
      },
    },
    tagName: {
      get() {
        return this.localName.toUpperCase()
      },
    },
    nodeName: {
      get() {
        return this.localName.toUpperCase()
      },
    },
    namespaceURI: {
      get() {
        return (this as unknown as Record<symbol, string>)[namespace]
      },
    },
    getElementsByTagName: {
      value(this: Member, name: string) {
        return find.byName(this, name)
      },
    },
    querySelectorAll: {
      value(this: Member, selector: string) {
        return find.bySelector(this, selector) ?? select.call(this, selector)
      },
    },
    querySelector: {
      value(this: Member, selector: string) {
        const found = find.bySelector(this, selector, 1)
        return found ? (found[0] ?? null) : selectFirst.call(this, selector)
      },
    },
    getAttributeNames: {
      value(this: Member) {
        return listNames(this)
      },
    },
    getAttributeNode: {
      value(this: Member, name: string) {
        return findAttribute(this, name)
      },
    },
    getAttribute: {
      value(this: Member, name: string) {
        return attributeValue(this, name)
      },
    },
    hasAttribute: {
      value(this: Member, name: string) {
        return findAttribute(this, name) !== null
      },
    },
  }
}
