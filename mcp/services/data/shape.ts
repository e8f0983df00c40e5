import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { toSnakeCase } from '../../lib/snake-case.ts'
import { cutPoint } from '../../lib/text/cut.ts'
import type { Note } from './meta.ts'

type Fields = Record<string, unknown>

/** How much of an answer is wanted; every skill takes these. */
export const shaping = {
  max_tokens: z.number().int().min(50).max(1_000_000).optional().describe('Cut to about so many tokens'),
  after: z.number().int().min(0).optional().describe('meta.next of the answer before'),
  fields: z.string().max(500).optional().describe('Only these fields, as a,b'),
}

export type Shaping = {
  max_tokens?: number | undefined
  after?: number | undefined
  fields?: string | undefined
}

/** An answer cut to what was asked. `next` counts entries, or characters, of the paged field. */
export type ShapedAnswer = {
  fields: Fields
  truncated: boolean
  next: number | null
  tokens: number | null
  warnings: Note[]
}

/** Four characters of JSON are about one token. */
const estimateTokens = (value: unknown): number => Math.ceil((JSON.stringify(value) ?? '').length / 4)

/** The names in `fields`, as `a,b`. Throws `invalid_input` for one that the answer never has, or none at all. */
export const readFields = (fieldList: string, fieldNames: readonly string[]): string[] => {
  const names = fieldList
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '')
    .map(name => (fieldNames.includes(name) ? name : toSnakeCase(name)))
  const unknown = names.filter(name => !fieldNames.includes(name))
  if (names.length === 0 || unknown.length > 0)
    throw new ToolError('invalid_input', `fields: there is no field ${unknown.join(', ') || 'named'}.`, {
      issues: [{ path: 'fields', message: `must name fields of the answer: ${fieldNames.join(', ')}` }],
    })
  return names
}

const pick = (answer: Fields, fieldList: string | undefined, fieldNames: readonly string[]): Fields => {
  if (fieldList === undefined) return answer
  const names = readFields(fieldList, fieldNames).filter(name => Object.hasOwn(answer, name))
  return Object.fromEntries(names.map(name => [name, answer[name]]))
}

type Pageable = string | unknown[]

const isPaged = (value: unknown): value is Pageable => typeof value === 'string' || Array.isArray(value)

/** How many entries, or characters, of `value` fit into `budget` tokens; at least one, so that paging goes on. */
const fitting = (value: Pageable, budget: number): number => {
  if (typeof value === 'string') {
    let end = Math.min(value.length, Math.max(1, budget * 4))
    while (end > 1 && estimateTokens(value.slice(0, end)) > budget) end = Math.floor(end * 0.9)
    return cutPoint(value, end) || cutPoint(value, Math.min(2, value.length))
  }
  let usedTokens = 0
  for (const [index, entry] of value.entries()) {
    usedTokens += estimateTokens(entry) + 0.25
    if (usedTokens > budget) return Math.max(1, index)
  }
  return value.length
}

const isCuttable = (value: unknown): value is Pageable | Fields =>
  typeof value === 'string' || (typeof value === 'object' && value !== null)

const findLargest = (answer: Fields, keep: string | undefined) =>
  Object.entries(answer)
    .flatMap(([name, value]) =>
      name !== keep && isCuttable(value) ? [{ name, value, size: estimateTokens(value) }] : [],
    )
    .sort((a, b) => b.size - a.size)[0]

/** Cuts the largest lists and texts that are not paged until the rest fits. */
const trim = (answer: Fields, keep: string | undefined, budget: number): boolean => {
  let isCut = false
  for (let turn = 0; turn < 12; turn++) {
    const over = estimateTokens(answer) - budget
    if (over <= 0) return isCut
    const largest = findLargest(answer, keep)
    if (!largest || largest.size < 8) return isCut
    const { name, value, size } = largest
    const room = Math.max(1, size - over)
    answer[name] = isPaged(value) ? value.slice(0, fitting(value, room)) : trimCopy(value, room)
    if (estimateTokens(answer[name]) >= size) return isCut
    isCut = true
  }
  return isCut
}

const trimCopy = (value: Fields, budget: number): Fields => {
  const copy = { ...value }
  trim(copy, undefined, budget)
  return copy
}

/**
 * Cuts an answer to the fields, the page and the tokens that were asked for. `main` names the field that `after` pages,
 * `fieldNames` all that may be asked for, whether this answer has them or not.
 */
export const shape = (
  answer: Fields,
  main: string | undefined,
  { max_tokens: maxTokens, after = 0, fields }: Shaping,
  fieldNames: readonly string[] = Object.keys(answer),
): ShapedAnswer => {
  const out = { ...pick(answer, fields, fieldNames) }
  const whole = main === undefined ? undefined : out[main]
  const warnings: Note[] = []
  let next: number | null = null
  let truncated = false
  if (after > 0 && !isPaged(whole))
    warnings.push({ code: 'not_paged', message: 'This answer has one page; after was not used.' })
  const rest = isPaged(whole) ? whole.slice(after) : undefined
  if (main !== undefined && rest !== undefined) out[main] = rest
  if (maxTokens !== undefined && estimateTokens(out) > maxTokens) {
    truncated = true
    if (main !== undefined && rest !== undefined && rest.length > 0) {
      const others = estimateTokens({ ...out, [main]: undefined })
      const end = fitting(rest, Math.max(1, Math.max(maxTokens - others, maxTokens / 2)))
      out[main] = rest.slice(0, end)
      if (end < rest.length) next = after + end
    }
    trim(out, main, maxTokens)
  }
  return {
    fields: out,
    truncated,
    next,
    tokens: maxTokens === undefined ? null : estimateTokens(out),
    warnings,
  }
}
