import { z } from 'zod'
import { issueText } from '../../lib/issue-text.ts'
import { echo } from '../echo.ts'
import { type Issue, ToolError } from '../error.ts'
import type { AnyTool } from '../tool.ts'
import { withoutAbsent } from './absent.ts'
import { asSent, findField, withoutAliases } from './aliases.ts'
import { withJsonRead } from './json-text.ts'
import { overfull } from './overfull.ts'
import { findStrangers } from './strangers.ts'

type Raw = z.core.$ZodRawIssue

/** Issues that a refusal lists. Whoever sends ninety thousand wrong fields learns of the first ones. */
const maxIssues = 20
/** Issues that its sentence repeats. */
const maxSummaryIssues = 5
const maxPathLength = 200
const maxMessageLength = 300

/** All that is wrong: the first issues in words, and how many there are. */
type Wrong = { issues: readonly Issue[]; count: number }

const pathText = (path: readonly PropertyKey[]): string =>
  echo(path.map(key => echo(String(key))).join('.'), maxPathLength)

const unknownKeys = (issue: Raw): readonly string[] | undefined =>
  issue.code === 'unrecognized_keys' ? issue.keys : undefined

const issueMessage = (issue: Raw): string =>
  echo(
    z.core.util.finalizeIssue(issue, undefined, { ...z.core.config(), localeError: issueText }).message,
    maxMessageLength,
  )

const unwrapSchema = (schema: z.core.$ZodType): z.core.$ZodType => {
  const { def } = schema._zod as { def: { innerType?: z.core.$ZodType } }
  return def.innerType ? unwrapSchema(def.innerType) : schema
}

/** The field of the input that holds a field of that name, where somebody put it beside its object instead of into it. */
const homeOf = (name: string, { shape }: z.ZodObject): string | undefined =>
  Object.keys(shape).find(field => {
    const inner = unwrapSchema(shape[field] as z.core.$ZodType)
    return inner instanceof z.ZodObject && Object.hasOwn(inner.shape, name)
  })

const strangerMessage = (name: string, depth: number, schema: z.ZodObject): string => {
  const home = depth === 0 ? homeOf(name, schema) : undefined
  return home === undefined
    ? 'There is no such field.'
    : `There is no such field here; it belongs in ${home}.`
}

/** Puts the first issues into words; the others are counted and not looked at. */
const wordsFor = (raw: readonly Raw[], schema: z.ZodObject): Wrong => {
  const issues: Issue[] = []
  let count = 0
  for (const issue of raw) {
    const keys = unknownKeys(issue)
    const path = issue.path ?? []
    count += keys?.length ?? 1
    const room = maxIssues - issues.length
    if (room <= 0) continue
    if (keys)
      for (const key of keys.slice(0, room))
        issues.push({ path: pathText([...path, key]), message: strangerMessage(key, path.length, schema) })
    else issues.push({ path: pathText(path), message: issueMessage(issue) })
  }
  return { issues, count }
}

const sentence = ({ issues, count }: Wrong): string => {
  const sentences = issues
    .slice(0, maxSummaryIssues)
    .map(({ path, message }) => (path ? `${path}: ${message}` : message))
  const rest = count - sentences.length
  return [...sentences, ...(rest > 0 ? [`and ${rest} more.`] : [])].join('; ')
}

type Parsed = { data: Record<string, unknown> } | { wrong: Wrong }

/** Runs a schema without making an error object of every issue: that work would grow with what a stranger sends. */
const parse = (schema: z.ZodObject, value: unknown, strangers: readonly Raw[] = []): Parsed => {
  const ran = schema._zod.run({ value, issues: [] }, { async: false })
  if (ran instanceof Promise) throw new z.core.$ZodAsyncError()
  const issues = [...ran.issues, ...strangers]
  if (issues.length > 0) return { wrong: wordsFor(issues, schema) }
  return { data: ran.value as Record<string, unknown> }
}

/** Fields that a strict schema does not know, when there are more of them than a refusal tells of. */
const strangersIn = (schema: z.ZodObject, value: unknown): Wrong | undefined => {
  const { shape, _zod } = schema
  const { def } = _zod
  if (typeof value !== 'object' || value === null || def.catchall?._zod.def.type !== 'never') return undefined
  const names = Object.keys(value)
  if (names.length <= Object.keys(shape).length + maxIssues) return undefined
  const keys = names.filter(name => !Object.hasOwn(shape, name))
  return wordsFor([{ code: 'unrecognized_keys', keys, input: {}, path: [] }], schema)
}

/** Refuses input that would cost work by its size, before that work: hosts of fields, lists over their limit. */
const parseInput = (schema: z.ZodObject, sent: unknown, onlyReads: boolean): Parsed => {
  const value = withJsonRead(schema, sent)
  const strange = strangersIn(schema, value)
  if (strange) return { wrong: strange }
  const long = overfull(schema, value)
  if (long) return { wrong: { issues: [long], count: 1 } }
  const present = withoutAbsent(schema, value, { emptyIsAbsent: onlyReads })
  return parse(schema, present, findStrangers(schema, present))
}

const halfPair = /\p{Surrogate}/u

/** True when a text somewhere in a value, or a name in it, has half a surrogate pair: what a client leaves that cut an emoji in two. */
const hasHalfPair = (value: unknown): boolean => {
  const rest: unknown[] = [value]
  while (rest.length > 0) {
    const next = rest.pop()
    if (typeof next === 'string' && halfPair.test(next)) return true
    if (Array.isArray(next)) for (const item of next) rest.push(item)
    else if (typeof next === 'object' && next !== null)
      for (const [name, item] of Object.entries(next)) rest.push(name, item)
  }
  return false
}

const refuseHalfPairs = (data: Record<string, unknown>): void => {
  const path = Object.keys(data).find(name => hasHalfPair(data[name]))
  if (path === undefined) return
  const message = 'holds half a surrogate pair, which is no character'
  throw new ToolError('invalid_input', `${path}: ${message}.`, {
    issues: [{ path, message }],
    hint: 'Cut texts between characters, not within one such as an emoji.',
  })
}

/**
 * The parsed input. Optional fields that say nothing count as absent: `null`, and empty text that the schema refuses or that filters
 * what a tool reads. Throws `invalid_input` with every wrong field named, up to twenty, as `sentAs` says it came; unknown fields are
 * wrong too.
 */
export const checkInput = (
  schema: z.ZodObject,
  value: unknown,
  {
    onlyReads = false,
    sentAs = field => field,
  }: { onlyReads?: boolean; sentAs?: (field: string) => string } = {},
): Record<string, unknown> => {
  const parsed = parseInput(schema, value ?? {}, onlyReads)
  if ('data' in parsed) {
    refuseHalfPairs(parsed.data)
    return parsed.data
  }
  const fields = Object.keys(schema.shape)
  const issues = parsed.wrong.issues.map(issue => {
    const [field = '', ...inner] = issue.path.split('.')
    return { ...issue, path: [sentAs(field), ...asSent(Reflect.get(Object(value), field), inner)].join('.') }
  })
  throw new ToolError('invalid_input', sentence({ ...parsed.wrong, issues }), {
    issues,
    hint: fields.length > 0 ? `The fields are: ${fields.join(', ')}.` : 'Send an empty object.',
  })
}

/** The parsed input of a tool, whatever names its fields came under; a refusal names them as they were sent. */
export const checkToolInput = (tool: AnyTool, value: unknown): Record<string, unknown> =>
  checkInput(tool.input, withoutAliases(tool, value), {
    onlyReads: tool.hints.readOnly,
    sentAs: field => Object.keys(value ?? {}).find(name => findField(tool, name) === field) ?? field,
  })

/** The parsed output, without what the schema does not name. A mismatch is our fault and says nothing to the caller. */
export const checkOutput = (schema: z.ZodObject, value: unknown): Record<string, unknown> => {
  const parsed = parse(schema, value)
  if ('data' in parsed) return parsed.data
  throw new Error(`the answer breaks its schema: ${sentence(parsed.wrong)}`)
}
