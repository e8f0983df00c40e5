import { type Html, html } from '../mcp/lib/text/html.ts'
import type { Schema } from './schema.ts'

const maxDepth = 2

const bounds = ({ minLength, maxLength, minimum, maximum, maxItems, format, pattern }: Schema): string[] => [
  ...(minimum !== undefined && Number(minimum) > -1e15 ? [`from ${minimum}`] : []),
  ...(maximum !== undefined && Number(maximum) < 1e15 ? [`to ${maximum}`] : []),
  ...(minLength !== undefined && Number(minLength) > 1 ? [`${minLength} characters or more`] : []),
  ...(maxLength === undefined ? [] : [`at most ${maxLength} characters`]),
  ...(maxItems === undefined ? [] : [`at most ${maxItems}`]),
  ...(format === undefined ? [] : [String(format)]),
  ...(pattern === undefined || format !== undefined ? [] : [`like ${pattern}`]),
]

/** A schema in a few words: `text`, `list of number`, `one of a, b`. */
const typeText = (schema: Schema): string => {
  const { type, enum: values, anyOf, oneOf, items } = schema
  if (values) return `one of ${values.join(', ')}`
  if ('const' in schema) return String(schema.const)
  const alternatives = anyOf ?? oneOf
  if (alternatives) return [...new Set(alternatives.map(typeText))].join(' or ')
  if (type === 'array') return items ? `list of ${typeText(items)}` : 'list'
  const names = {
    string: 'text',
    integer: 'whole number',
    boolean: 'true or false',
    object: 'fields',
  } as const
  return type === undefined
    ? 'any'
    : [type]
        .flat()
        .map(name => names[name as keyof typeof names] ?? name)
        .join(' or ')
}

/** The schema whose fields a value has: its own, those of its items, or those of its one alternative that has any. */
const inside = (schema: Schema): [suffix: string, inner: Schema] => {
  const alternative = (schema.anyOf ?? schema.oneOf)?.find(({ properties, items }) => properties ?? items)
  if (alternative) return inside(alternative)
  return schema.items ? ['[]', inside(schema.items)[1]] : ['', schema]
}

const rows = (schema: Schema, prefix: string, depth: number): Html[] =>
  Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = `${prefix}${name}`
    const facts = [typeText(field), ...bounds(field)].join(', ')
    const isOptional = !schema.required?.includes(name)
    const row = html`<tr><td><code>${path}</code>${isOptional && html` <span class="note">optional</span>`}</td><td>${field.description}<br><span class="note">${facts}</span></td></tr>\n`
    const [suffix, inner] = inside(field)
    return depth < maxDepth ? [row, ...rows(inner, `${path}${suffix}.`, depth + 1)] : [row]
  })

/** The fields of a schema as a table. */
export const schemaTable = (schema: Schema, label: string): Html => {
  const all = rows(schema, '', 1)
  if (all.length === 0) return html`<p>Nothing.</p>`
  return html`<div class="wide" tabindex="0" role="region" aria-label="${label}"><table><thead><tr><th scope="col">Field</th><th scope="col">What it is</th></tr></thead><tbody>
${all}</tbody></table></div>`
}
