import type { z } from 'zod'
import type { AnyTool } from '../../mcp/kernel/tool.ts'
import type { Fields } from '../wire/fields.ts'
import { isStopWord } from './lexicon.ts'

/** A piece of a sentence: a plain word, `name=value`, or a value by its form. */
export type Token =
  | { kind: 'word'; text: string }
  | { kind: 'option'; name: string; value: unknown }
  | { kind: 'quoted' | 'value' | 'number' | 'money'; text: string }

const quoted = /^(?:"([^"]*)"|“([^”]*)”|`([^`]*)`|'([^']*)'(?![\p{L}\p{N}]))/u
const optionPattern = /^([A-Za-z_][\w-]{0,63})\s?=\s?(?="|“|'|`|\{|\[|\S)/
const moneyPattern =
  /^(?:[$]\s?(\d[\d,]*(?:\.\d+)?)|(\d[\d,]*(?:\.\d+)?)\s?(?:usd|usdc|dollars?|bucks)(?![\p{L}\p{N}])|(?:usd|usdc)\s(\d[\d,]*(?:\.\d+)?))/iu
const numberPattern = /^[+-]?\d[\d,]*(?:\.\d+)?(?![\p{L}\p{N}_.:/@-]*[\p{L}\p{N}_/@])/u
/** What no plain word is: addresses, ids, hashes, dates, names of hosts. */
const valuePattern = /[\d_@/:]|\p{L}\.\p{L}|^\p{Lu}{2,}$/u

/** The JSON text at the start, to the bracket that closes it; undefined where it is none. Linear in its length. */
const takeJson = (text: string): { value: unknown; length: number } | undefined => {
  if (!/^[[{]/.test(text)) return undefined
  let depth = 0
  let isString = false
  for (let at = 0; at < text.length; at++) {
    const mark = text[at] ?? ''
    if (isString && mark === '\\') at++
    else if (mark === '"') isString = !isString
    else if (!isString && '[{'.includes(mark)) depth++
    else if (!isString && ']}'.includes(mark) && --depth === 0) return parseJsonPart(text.slice(0, at + 1))
  }
  return undefined
}

const parseJsonPart = (text: string): { value: unknown; length: number } | undefined => {
  try {
    return { value: JSON.parse(text), length: text.length }
  } catch {
    return undefined
  }
}

const takeValue = (text: string): { value: unknown; length: number } => {
  const inQuotes = quoted.exec(text)
  if (inQuotes)
    return { value: inQuotes.slice(1).find(part => part !== undefined), length: inQuotes[0].length }
  const json = takeJson(text)
  if (json) return json
  const bare = /^\S+/.exec(text)?.[0] ?? ''
  return { value: bare.replace(/[,;]$/, ''), length: bare.length }
}

/** Tokens that are read: each is held against every field of every operation, and a request in words has few. */
export const maxTokens = 40

/** Splits a sentence into at most `maxTokens`. Text in quotes is one token; what follows a word, such as a comma, is dropped. */
export const tokenize = (text: string): Token[] => {
  const tokens: Token[] = []
  let rest = text.trim()
  while (rest !== '' && tokens.length < maxTokens) {
    const option = optionPattern.exec(rest)
    const inQuotes = quoted.exec(rest)
    const money = moneyPattern.exec(rest)
    const number = numberPattern.exec(rest)
    let length: number
    if (option) {
      const { value, length: valueLength } = takeValue(rest.slice(option[0].length))
      tokens.push({ kind: 'option', name: option[1] ?? '', value })
      length = option[0].length + valueLength
    } else if (/^[{[]/.test(rest)) {
      // An object or a list is a value to its end, however it is broken.
      const json = takeJson(rest)
      tokens.push({ kind: 'quoted', text: json ? rest.slice(0, json.length) : rest })
      length = json?.length ?? rest.length
    } else if (inQuotes) {
      tokens.push({ kind: 'quoted', text: inQuotes.slice(1).find(part => part !== undefined) ?? '' })
      length = inQuotes[0].length
    } else if (money) {
      const amount = (money[1] ?? money[2] ?? money[3] ?? '').replaceAll(',', '')
      tokens.push({ kind: 'money', text: amount })
      length = money[0].length
    } else if (number) {
      tokens.push({ kind: 'number', text: number[0].replaceAll(',', '') })
      length = number[0].length
    } else {
      const word = /^\S+/.exec(rest)?.[0] ?? ''
      const bare = word.replace(/^[(]+|[),.;:!?]+$/gu, '')
      if (bare !== '') tokens.push({ kind: valuePattern.test(bare) ? 'value' : 'word', text: bare })
      length = word.length
    }
    rest = rest.slice(Math.max(1, length)).trimStart()
  }
  return tokens
}

/** How ids of a field begin, by the tool's own examples: "task" of "task_0". */
const prefixOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? /^([a-z]{2,8})_/.exec(value)?.[1] : undefined

/** False for an id of another kind than the examples of the field have. */
const isOfKind = ({ examples }: AnyTool, field: string, text: string): boolean => {
  const [prefix, own] = [prefixOf(text), prefixOf((examples[0] as Fields)[field])]
  if (own !== undefined && /_id$/.test(snake(field))) return prefix === own
  return prefix === undefined || own === undefined || prefix === own
}

type Shape = Readonly<Record<string, z.ZodType>>

const shapeOf = ({ input }: AnyTool): Shape => input.shape

const accepts = (schema: z.ZodType, value: unknown): boolean => schema.safeParse(value).success

/** Asks a schema once: the answer never changes, and each word of a sentence asks again. */
const askOnce = (ask: (schema: z.ZodType) => boolean): ((schema: z.ZodType) => boolean) => {
  const answers = new WeakMap<z.ZodType, boolean>()
  return schema => {
    const answer = answers.get(schema) ?? ask(schema)
    answers.set(schema, answer)
    return answer
  }
}

export const isRequired = askOnce(schema => !accepts(schema, undefined))

/** Text that no field takes which asks for anything in particular. */
const junk = ['zq~ jv#', 'Zq jv; kx', `${'Lorem ipsum '.repeat(8)}.`]

/** True for text that may say anything. */
const isFreeText = askOnce(schema => junk.some(text => accepts(schema, text)))

/** True for text that takes any word, as names do. */
const isFreeWord = askOnce(schema => ['zqxjv', 'Zqxjv', 'ZQXJV'].some(text => accepts(schema, text)))

/** True for a list of a few words, such as types of records. */
const isClosedList = askOnce(schema => !accepts(schema, ['zqxjv']) && !accepts(schema, ['ZQXJV']))

const isNumeric = askOnce(schema => [1, 24, 0.5].some(value => accepts(schema, value)))

const moneyName =
  /(?:^|_)(?:usd|usdc|amount|price|budget|bounty|cost|cap|credits?|fee|tip|bonus|sats?|stake)(?:_|$)/

/** True for a field that holds money: nothing but an amount with its currency, or its own name, fills it. */
export const isMoney = (name: string): boolean => moneyName.test(snake(name))

const snake = (name: string): string =>
  name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/-/g, '_')
    .toLowerCase()

/** A value as a field takes it: a number, text or a truth value, whichever fits; undefined where none does. An exact amount stays text. */
const toFieldValue = (schema: z.ZodType, value: unknown, isExact = false): { value: unknown } | undefined => {
  if (typeof value !== 'string') return accepts(schema, value) ? { value } : undefined
  const isNumber = /^[+-]?\d+(?:\.\d+)?$/.test(value) && accepts(schema, Number(value))
  if (isNumber && !isExact) return { value: Number(value) }
  if (isClosedList(schema) && accepts(schema, [value])) return { value: [value] }
  if (accepts(schema, value)) return { value }
  if (isExact && accepts(schema, `${value}.00`)) return { value: `${value}.00` }
  if (/^(?:true|yes|on)$/i.test(value) && accepts(schema, true)) return { value: true }
  if (/^(?:false|no|off)$/i.test(value) && accepts(schema, false)) return { value: false }
  const list = value.split(',').map(part => part.trim())
  if (list.length > 1 && accepts(schema, list)) return { value: list }
  const lower = value.toLowerCase()
  return accepts(schema, lower) && !isFreeText(schema) ? { value: lower } : undefined
}

/** The field of a name in any spelling, its aliases included. */
const findField = ({ input, aliases = {} }: AnyTool, name: string): string | undefined => {
  const wanted = snake(name)
  const fields = Object.keys(input.shape)
  return (
    fields.find(field => snake(field) === wanted) ??
    fields.find(field => aliases[field]?.some(alias => snake(alias) === wanted))
  )
}

/** What became of the tokens: the input they give, and the words and values that nothing of the tool took. */
export type Assigned = { input: Fields; words: string[]; leftovers: Token[] }

const units = ['minutes', 'hours', 'days', 'weeks', 'seconds', 'percent', 'sats']

const unitOf = (word: string): string | undefined =>
  units.find(unit => unit === word || unit === `${word}s` || (unit === 'percent' && word === '%'))

/** Words between the name of a field and its value. */
const between = /^(?:is|of|to|as|at|=|:|with|for|by|be|set)$/i

type Reader = { tokens: readonly Token[]; used: Set<number>; input: Record<string, unknown>; clash: Token[] }

const take = ({ used, input }: Reader, at: readonly number[], field: string, value: unknown): void => {
  for (const index of at) used.add(index)
  input[field] = value
}

/** Values that stand behind the name of their field: `limit 5`, `with note "x"`, `deadline 24 hours`. */
const takeNamed = (tool: AnyTool, reader: Reader): void => {
  const { tokens, used, input } = reader
  const shape = shapeOf(tool)
  const names = Object.keys(shape)
    .map(field => ({ field, parts: snake(field).split('_') }))
    .sort((one, other) => other.parts.length - one.parts.length)
  for (let at = 0; at < tokens.length; at++) {
    if (used.has(at) || tokens[at]?.kind !== 'word') continue
    for (const { field, parts } of names) {
      if (Object.hasOwn(input, field)) continue
      const core = parts.filter(part => !['id', 'usd', 'hours', 'days', 'minutes'].includes(part))
      const wanted = core.length > 0 ? core : parts
      const isHere = wanted.every((part, nth) => {
        const token = tokens[at + nth]
        return token?.kind === 'word' && token.text.toLowerCase() === part
      })
      // "to move 5 USDC to base": where the name is a small word, its value stands behind the last one.
      const isRepeated = between.test(field) && tokens.slice(at + 1).some(later => isWord(later, field))
      if (!isHere || isRepeated) continue
      let next = at + wanted.length
      while (next < tokens.length && isBetween(tokens[next], tokens[next + 1])) next++
      const token = tokens[next]
      const schema = shape[field]
      if (!token || !schema || used.has(next) || token.kind === 'option') continue
      if (countsSomething(tool, token, tokens[next + 1])) continue
      const isWhole = wanted.length === parts.length && isRequired(schema)
      const isPlain = token.kind === 'word' && !/[-\d]/.test(token.text)
      if (isPlain && isStopWord(token.text.toLowerCase())) continue
      const after = tokens[next + 1]
      const isEnd =
        (after?.kind !== 'word' || isStopWord(after.text.toLowerCase())) &&
        !schema.description?.toLowerCase().includes(token.text.toLowerCase())
      if (isPlain && (isFreeText(schema) || isFreeWord(schema)) && !(isWhole && isEnd)) continue
      // A quote that does not fit its named field stays, so that its refusal names it.
      const asSaid = isWhole && token.kind === 'quoted' ? { value: token.text } : undefined
      const fitting = toFieldValue(schema, token.text, isMoney(field)) ?? asSaid
      // A value that its field does not take belongs to another operation, or to none.
      if (!fitting && isWhole && token.kind === 'value') reader.clash.push(token)
      if (!fitting) continue
      take(reader, [...Array.from({ length: next - at }, (_, nth) => at + nth), next], field, fitting.value)
      break
    }
  }
}

const isWord = (token: Token, word: string): boolean =>
  token.kind === 'word' && token.text.toLowerCase() === word

/** True for a small word before the value of a field; "of" goes before numbers and quotes: "the vault of 0x…" is somebody's. */
const isBetween = (token: Token | undefined, next: Token | undefined): boolean =>
  token?.kind === 'word' && between.test(token.text) && !(/^of$/i.test(token.text) && next?.kind === 'value')

const takeUnits = (tool: AnyTool, reader: Reader): void => {
  const { tokens, used, input } = reader
  const shape = shapeOf(tool)
  for (const [at, token] of tokens.entries()) {
    const next = tokens[at + 1]
    if (used.has(at) || token.kind !== 'number' || next?.kind !== 'word') continue
    const unit = unitOf(next.text.toLowerCase())
    const fields = Object.keys(shape).filter(
      field => unit !== undefined && snake(field).split('_').includes(unit) && !Object.hasOwn(input, field),
    )
    const [field, ...others] = fields
    const schema = field === undefined ? undefined : shape[field]
    const fitting = schema && others.length === 0 ? toFieldValue(schema, token.text) : undefined
    if (field !== undefined && fitting) take(reader, [at, at + 1], field, fitting.value)
  }
}

/** A number in front of what it counts, such as "5 stars": it is a value of its unit alone. */
const countsSomething = (tool: AnyTool, token: Token | undefined, next: Token | undefined): boolean =>
  !tool.hints.readOnly &&
  token?.kind === 'number' &&
  next?.kind === 'word' &&
  !isStopWord(next.text.toLowerCase())

/** The field that goes on with a list: its value is the `next` of an answer, which a sentence names or has not. */
const cursor = 'after'

/** Values that one field alone can hold, by their form. */
const takeByForm = (tool: AnyTool, reader: Reader): void => {
  const { tokens, used, input } = reader
  const open = () =>
    Object.entries(shapeOf(tool)).filter(([field]) => !Object.hasOwn(input, field) && field !== cursor)
  const choices = (token: Token) => {
    if (token.kind === 'option') return []
    if (token.kind === 'money')
      return open().flatMap(([field, schema]) => {
        const fitting = isMoney(field) ? toFieldValue(schema, token.text, true) : undefined
        return fitting ? [{ field, schema, ...fitting }] : []
      })
    return open().flatMap(([field, schema]) => {
      if (isMoney(field) || isFreeText(schema)) return []
      if (token.kind === 'word' && (isFreeWord(schema) || isStopWord(token.text.toLowerCase()))) return []
      if (token.kind === 'number' && !(isNumeric(schema) && isRequired(schema))) return []
      if (!isRequired(schema) && isFreeWord(schema) && !isFormOfExample(tool, field, token.text)) return []
      const fitting = isOfKind(tool, field, token.text) ? toFieldValue(schema, token.text) : undefined
      return fitting && typeof fitting.value !== 'boolean' ? [{ field, schema, ...fitting }] : []
    })
  }
  for (const [at, token] of tokens.entries()) {
    if (used.has(at) || token.kind === 'quoted') continue
    if (countsSomething(tool, token, tokens[at + 1])) continue
    const fitting = choices(token)
    const needed = fitting.filter(({ schema }) => isRequired(schema))
    // A plain word is a value only where it is one of a few: a country, a state, an order.
    const possible =
      token.kind === 'word' && needed.length === 0 ? fitting : needed.length > 0 ? needed : fitting
    const [only, ...others] = possible
    if (only && others.length === 0) take(reader, [at], only.field, only.value)
    else if (only && needed.length > 1 && token.kind === 'value') take(reader, [at], only.field, only.value)
  }
}

/** True for a short word in capitals where the example of the field is one, such as a ticker. */
const isFormOfExample = ({ examples }: AnyTool, field: string, text: string): boolean => {
  const example = (examples[0] as Fields)[field]
  return typeof example === 'string' && capitals.test(example) && capitals.test(text)
}

const capitals = /^\p{Lu}[\p{Lu}\d]{1,4}$/u

/** True for a short word in capitals, such as DNS or B2B: it may name something, or be a value. */
export const isAcronym = (token: Token): boolean => token.kind === 'value' && capitals.test(token.text)

/** Text in quotes, and values of no form of their own, go to the text fields that are left, required ones first, in their order. */
const takeText = (tool: AnyTool, reader: Reader): void => {
  const { tokens, used, input } = reader
  for (const [at, token] of tokens.entries()) {
    if (used.has(at) || (token.kind !== 'quoted' && token.kind !== 'value') || isAcronym(token)) continue
    const open = Object.entries(shapeOf(tool)).filter(
      ([field, schema]) =>
        !Object.hasOwn(input, field) &&
        field !== cursor &&
        !isMoney(field) &&
        isOfKind(tool, field, token.text) &&
        toFieldValue(schema, token.text),
    )
    const needed = open.filter(([, schema]) => isRequired(schema))
    const optional = token.kind === 'quoted' ? open.filter(([, schema]) => isFreeText(schema)) : []
    const [first, ...others] = needed.length > 0 ? needed : optional
    const fitting = first && toFieldValue(first[1], token.text)
    if (!first || !fitting || (needed.length === 0 && others.length > 0)) continue
    take(reader, [at], first[0], fitting.value)
  }
}

/** Words before what is looked for, as in "about maps" or "that can translate". */
const tailPattern = /^(?:about|for|can|regarding)$/i

/** The words at the end, behind such a word, for an operation that only reads and lacks one text. */
const takeTail = (tool: AnyTool, { tokens, used, input }: Reader): void => {
  const open = Object.entries(shapeOf(tool)).filter(
    ([field, schema]) => isRequired(schema) && !Object.hasOwn(input, field),
  )
  const [field, schema] = open[0] ?? []
  if (field === undefined || !schema || open.length > 1 || !tool.hints.readOnly || !isFreeWord(schema)) return
  const at = tokens.findLastIndex(token => token.kind === 'word' && tailPattern.test(token.text))
  const tail = tokens.slice(at + 1)
  const isOpen = tail.every((token, nth) => token.kind !== 'option' && !used.has(at + 1 + nth))
  if (at < 1 || tail.length === 0 || tail.length > 5 || !isOpen) return
  const text = tail.flatMap(token => ('text' in token ? [token.text] : [])).join(' ')
  if (isStopWord(text.toLowerCase()) || !accepts(schema, text)) return
  for (const nth of tail.keys()) used.add(at + 1 + nth)
  input[field] = text
}

const saying = /^(?:say|says|saying|tell|write|writing|because)$/i

/** Reads what tokens say of the input of a tool. Nothing is guessed: what fits two fields alike is left over. */
export const assign = (tool: AnyTool, tokens: readonly Token[]): Assigned => {
  const reader: Reader = { tokens, used: new Set(), input: {}, clash: [] }
  for (const [at, token] of tokens.entries()) {
    if (token.kind !== 'option') continue
    const field = findField(tool, token.name)
    const schema = field === undefined ? undefined : shapeOf(tool)[field]
    if (field === undefined || !schema) continue
    // A value that does not fit stays, so that its refusal names it.
    take(reader, [at], field, (toFieldValue(schema, token.value, isMoney(field)) ?? token).value)
  }
  takeUnits(tool, reader)
  takeNamed(tool, reader)
  takeByForm(tool, reader)
  takeText(tool, reader)
  takeTail(tool, reader)
  // "and say" before a quote says no more than the quote.
  const left = tokens.filter(
    (token, at) =>
      !reader.used.has(at) &&
      !(token.kind === 'word' && saying.test(token.text) && tokens[at + 1]?.kind === 'quoted'),
  )
  return {
    input: reader.input,
    words: left.flatMap(token => (token.kind === 'word' ? [token.text.toLowerCase()] : [])),
    leftovers: [...left.filter(({ kind }) => kind !== 'word'), ...reader.clash],
  }
}
