import type { Content } from '../../../lib/page/element.ts'

const rdfaNames = new Set(
  'vocab prefix typeof property resource about rel rev content datatype href src inlist lang xml:lang datetime value'.split(
    ' ',
  ),
)

/** The attributes of an element that RDFa reads. */
export type RdfaAttributes = Readonly<Record<string, string | undefined>>

/** Attributes of an element without any of them. */
export const noAttributes: RdfaAttributes = {}

export const readRdfaAttributes = (element: Content): RdfaAttributes => {
  let attributes: Record<string, string> | undefined
  for (const name of element.getAttributeNames()) {
    if (!rdfaNames.has(name) && !name.startsWith('xmlns:')) continue
    attributes ??= {}
    attributes[name] = element.getAttribute(name) ?? ''
  }
  return attributes ?? noAttributes
}
