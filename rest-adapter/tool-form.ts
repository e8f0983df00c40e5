import { ToolError } from '../mcp/kernel/error.ts'
import { type Html, html } from '../mcp/lib/text/html.ts'
import { coercion, collectTypes } from './coerce.ts'
import type { Schema } from './schema.ts'

type Kind = 'choice' | 'boolean' | 'number' | 'lines' | 'json' | 'long' | 'text'

const choicesOf = ({ enum: values, anyOf }: Schema): unknown[] | undefined => {
  if (values) return values
  const constants = anyOf?.filter(other => 'const' in other && other.const !== null).map(other => other.const)
  return constants && constants.length === anyOf?.length ? constants : undefined
}

/** From this length on, a text gets several lines. */
const longText = 300

const kindOf = (schema: Schema): Kind => {
  const types = collectTypes(schema)
  if (choicesOf(schema)) return 'choice'
  if (types.has('array') && !types.has('string')) {
    const items = schema.items ? collectTypes(schema.items) : new Set<string>()
    return items.size > 0 && !items.has('object') && !items.has('array') ? 'lines' : 'json'
  }
  if (types.has('string')) return Number(schema.maxLength ?? 0) >= longText ? 'long' : 'text'
  if (types.has('object') || types.size === 0) return 'json'
  return types.has('boolean') ? 'boolean' : 'number'
}

/** A value as its field of a form shows it. */
const toField = (kind: Kind, value: unknown): string => {
  if (value === undefined || value === null) return ''
  if (kind === 'lines' && Array.isArray(value)) return value.join('\n')
  return typeof value === 'object' ? JSON.stringify(value, null, 1) : String(value)
}

/** An input of a tool as the fields of its form show it. */
export const toFields = (schema: Schema, input: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(schema.properties ?? {}).map(([name, field]) => [
      name,
      toField(kindOf(field), input[name]),
    ]),
  )

const parseJson = (name: string, text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const message = 'This must be JSON, such as {"name": "value"} or [1, 2].'
    throw new ToolError('invalid_input', `${name}: ${message}`, { cause, issues: [{ path: name, message }] })
  }
}

/** The input that a form says. What was left empty is left out. Throws `invalid_input` for what should be JSON and is not. */
export const parseToolForm = (
  schema: Schema,
  fields: Readonly<Record<string, string>>,
): Record<string, unknown> => {
  const coerce = coercion(schema)
  const entries = Object.entries(schema.properties ?? {}).flatMap(([name, field]): [string, unknown][] => {
    const text = fields[name]?.trim() ?? ''
    if (text === '') return []
    const kind = kindOf(field)
    if (kind === 'json') return [[name, parseJson(name, text)]]
    const raw = kind === 'lines' ? text.split('\n').flatMap(line => line.trim() || []) : (fields[name] ?? '')
    return [[name, coerce({ [name]: raw })[name]]]
  })
  return Object.fromEntries(entries)
}

type Issues = readonly { path: string; message: string }[]

const option = (value: string, text: string, chosen: string): Html =>
  html`<option value="${value}"${value === chosen && html` selected`}>${text}</option>`

const control = (name: string, schema: Schema, value: string, attributes: Html): Html => {
  const kind = kindOf(schema)
  const all = html`id="field-${name}" name="${name}"${attributes}`
  if (kind === 'choice' || kind === 'boolean') {
    const choices = kind === 'boolean' ? ['true', 'false'] : (choicesOf(schema) ?? []).map(String)
    return html`<select ${all}>${option('', '–', value)}${choices.map(choice => option(choice, choice, value))}</select>`
  }
  if (kind === 'lines' || kind === 'json' || kind === 'long')
    return html`<textarea ${all} rows="${kind === 'long' ? 4 : 3}" autocomplete="off"${kind !== 'long' && html` spellcheck="false"`}>\n${value}</textarea>`
  const numeric = kind === 'number' && html` inputmode="decimal"`
  return html`<input ${all} value="${value}" autocomplete="off"${numeric}>`
}

const kindHints: Partial<Record<Kind, string>> = { lines: 'One in each line.', json: 'As JSON.' }

const fieldRow = (
  name: string,
  schema: Schema,
  { value, isRequired, issues }: { value: string; isRequired: boolean; issues: Issues },
): Html => {
  const own = issues.filter(
    ({ path }) => path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`),
  )
  const hint = [schema.description?.replace(/\.?$/, '.'), kindHints[kindOf(schema)]].filter(Boolean).join(' ')
  const attributes = html` aria-describedby="hint-${name}"${isRequired && html` required`}${own.length > 0 && html` aria-invalid="true"`}`
  return html`<div class="field"><label for="field-${name}"><code>${name}</code>${!isRequired && html` <span class="note">optional</span>`}</label>
${control(name, schema, value, attributes)}
<p class="note" id="hint-${name}">${own.map(({ message }) => html`<strong class="bad">${message}</strong> `)}${hint}</p></div>
`
}

/** The fields of a form that asks for the input of a tool. */
export const toolFields = (
  schema: Schema,
  values: Readonly<Record<string, string>>,
  issues: Issues = [],
): Html[] =>
  Object.entries(schema.properties ?? {}).map(([name, field]) =>
    fieldRow(name, field, {
      value: values[name] ?? '',
      isRequired: schema.required?.includes(name) ?? false,
      issues,
    }),
  )
