import type { Content } from '../../../lib/page/element.ts'

const flags = ['required', 'multiple', 'readonly'] as const
const facets = ['maxlength', 'minlength', 'pattern', 'min', 'max', 'step', 'name'] as const

/**
 * What a form field asks for, in the words of an action: `required name=search_term_string` (schema.org, Potential Actions, "Text
 * search deep link"). Null for what is no field of a form.
 */
export const inputText = (element: Content): string | null => {
  if (!['input', 'select', 'textarea'].includes(element.localName)) return null
  return [
    ...flags.filter(name => element.getAttribute(name) !== null),
    ...facets.flatMap(name => {
      const value = element.getAttribute(name)
      return value ? [`${name}=${value}`] : []
    }),
  ].join(' ')
}

/** True for a property whose value a user gives, such as `query-input`. */
export const isInputProperty = (name: string): boolean => /-input$/.test(name)
