import type { Content } from '../../../lib/page/element.ts'
import { cleanText } from '../../../lib/text/clean.ts'
import { inputText, isInputProperty } from './input-text.ts'
import type { RdfaAttributes } from './rdfa-attributes.ts'
import type { Value } from './rdfa-graph.ts'
import { type Names, resolveTerm } from './rdfa-names.ts'

const plainString = 'http://www.w3.org/2001/XMLSchema#string'

const xmlLiterals = /(?:#XMLLiteral|#HTML)$/

const literal = (text: string, language: string | undefined): Value => ({
  '@value': cleanText(text),
  ...(language !== undefined && { '@language': language }),
})

type ValueContext = {
  names: Names
  language: string | undefined
  typedResource: string | undefined
  linkedResource: string | undefined
}

/** The value of a `property` (RDFa Core §7.5, step 11, with the additions of HTML+RDFa §3.1). */
export const propertyValue = (element: Content, attributes: RdfaAttributes, context: ValueContext): Value => {
  const { names, language, typedResource, linkedResource } = context
  const { content, datatype, about, rel, rev, datetime } = attributes
  const text = () => element.textContent ?? ''
  const type = datatype === undefined ? undefined : resolveTerm(names, datatype.trim())
  if (type !== undefined) {
    const lexicalValue = content ?? datetime ?? (xmlLiterals.test(type) ? element.innerHTML : text())
    return { '@value': cleanText(lexicalValue), ...(type !== plainString && { '@type': type }) }
  }
  if (datatype !== undefined) return literal(content ?? text(), language)
  if (content !== undefined) return literal(content, language)
  if (datetime !== undefined) return literal(datetime, language)
  if (element.localName === 'data' && attributes.value !== undefined)
    return literal(attributes.value, language)
  if (rel === undefined && rev === undefined) {
    if (linkedResource !== undefined) return { '@id': linkedResource }
    if (typedResource !== undefined && about === undefined) return { '@id': typedResource }
  }
  if ((attributes.property ?? '').split(/\s+/).some(isInputProperty))
    return literal(inputText(element) || text(), language)
  return literal(text(), language)
}
