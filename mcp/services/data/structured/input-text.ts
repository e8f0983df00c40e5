import type { Content } from '../../../lib/page/element.ts'

/** What a form field asks for, by the properties of a PropertyValueSpecification. */
export type InputSpecification = Readonly<Record<string, string | true>>

const flags = { required: 'valueRequired', multiple: 'multipleValues', readonly: 'readonlyValue' }
const facets = {
  maxlength: 'valueMaxLength',
  minlength: 'valueMinLength',
  pattern: 'valuePattern',
  min: 'minValue',
  max: 'maxValue',
  step: 'stepValue',
  name: 'valueName',
}

const attributesIn = (element: Content) => ({
  flags: Object.entries(flags).filter(([name]) => element.getAttribute(name) !== null),
  facets: Object.entries(facets).flatMap(([name, property]) => {
    const value = element.getAttribute(name)
    return value ? [{ name, property, value }] : []
  }),
})

const isField = ({ localName }: Content): boolean => ['input', 'select', 'textarea'].includes(localName)

/** What a form field asks for (schema.org, Potential Actions, "-input"). Undefined for what is no field of a form. */
export const inputSpecification = (element: Content): InputSpecification | undefined => {
  if (!isField(element)) return undefined
  const { flags, facets } = attributesIn(element)
  return Object.fromEntries([
    ...flags.map(([, property]) => [property, true] as const),
    ...facets.map(({ property, value }) => [property, value] as const),
  ])
}

/** The same as a text: `required name=search_term_string`. Null for what is no field of a form. */
export const inputText = (element: Content): string | null => {
  if (!isField(element)) return null
  const { flags, facets } = attributesIn(element)
  return [...flags.map(([name]) => name), ...facets.map(({ name, value }) => `${name}=${value}`)].join(' ')
}

/** True for a property whose value a user gives, such as `query-input`. */
export const isInputProperty = (name: string): boolean => /-input$/.test(name)
