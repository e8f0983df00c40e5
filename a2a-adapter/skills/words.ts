import { type AnyTool, skillId } from '../../mcp/kernel/tool.ts'
import type { Fields } from '../wire/fields.ts'
import { coerce } from './coerce.ts'
import {
  isAsking,
  isCondition,
  isKnownVerb,
  isNegation,
  isQuantity,
  isReading,
  isStopWord,
  isVerbFor,
  stem,
} from './lexicon.ts'
import { assign, isAcronym, isMoney, isRequired, maxTokens, type Token, tokenize } from './values.ts'

/** What a sentence came to: an operation with its input, or the operations that are nearest to it. */
export type Reading = { tool: AnyTool; input: Fields } | { nearest: readonly AnyTool[] }

type Entry = {
  tool: AnyTool
  /** Its names and its title in plain words, lower case: "get task". */
  names: readonly { name: string; begins: RegExp }[]
  verb: string | undefined
  /** Stems of the words of its name, without its verb. */
  nouns: readonly string[]
  /** Stems of the words of its title, and what ends it. */
  titleStart: readonly string[]
  /** Stems of the words of its title that are neither its verb nor small words. */
  titleWords: readonly string[]
  /** Stems of its name, title and keywords. */
  own: ReadonlySet<string>
  /** The same words as they are written. */
  written: ReadonlySet<string>
  /** Stems of the names of its fields. */
  fields: ReadonlySet<string>
  /** Stems of all that it says of itself. */
  all: ReadonlySet<string>
}

export type Grammar = { entries: readonly Entry[]; weigh(stem: string): number }

const splitWords = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

const spell = (name: string): string => splitWords(name).join(' ')

const toStems = (texts: readonly (string | undefined)[]): string[] =>
  texts.flatMap(text => splitWords(text ?? '')).map(stem)

const toEntry = (tool: AnyTool): Entry => {
  const words = spell(tool.name).split(' ')
  // A name begins or ends with its verb: "get_task", "memory_delete".
  const verb = [words[0], words.at(-1)].find(word => word !== undefined && isKnownVerb(word))
  const nouns = words.filter(word => word !== verb).map(word => stem(word === 'me' ? 'my' : word))
  const texts = [spell(tool.name), tool.title, ...(tool.keywords ?? [])]
  const own = new Set(toStems(texts))
  const [, ...rest] = splitWords(tool.title)
  const isSmall = (word: string) => isStopWord(word) || isAsking(word) || word.length < 2
  const titleWords = [...new Set(rest.filter(word => !isSmall(word) || stem(word) === 'my').map(stem))]
  const fields = Object.entries(tool.input.shape as Record<string, { description?: string }>)
  const all = new Set([
    ...own,
    ...toStems([
      tool.description,
      ...fields.flatMap(([name, { description }]) => [spell(name), description]),
    ]),
  ])
  const skill = tool.a2a?.group === undefined ? (skillId(tool) ?? tool.name) : tool.name
  return {
    tool,
    names: [...new Set([tool.name, skill, tool.title].map(spell))].map(name => ({
      name,
      begins: toBeginning(name),
    })),
    titleStart: [...splitWords(tool.title).map(stem), '.'],
    verb,
    nouns,
    titleWords,
    own,
    written: new Set(texts.flatMap(splitWords)),
    all,
    fields: new Set(toStems(fields.map(([name]) => spell(name)))),
  }
}

/** The start of a text that begins with a name, however its words are joined. */
const toBeginning = (name: string): RegExp =>
  new RegExp(`^${name.split(' ').join("[-_.,'\\s]+")}(?![\\p{L}\\p{N}_-])\\s*:?\\s*`, 'iu')

/** Reads the vocabulary of operations once. */
export const compileGrammar = (tools: readonly AnyTool[]): Grammar => {
  const entries = tools.map(toEntry)
  const counts = new Map<string, number>()
  for (const { own } of entries) for (const word of own) counts.set(word, (counts.get(word) ?? 0) + 1)
  const weigh = (word: string) => Math.log(1 + entries.length / (counts.get(word) ?? entries.length))
  return { entries, weigh }
}

const politeness =
  /^(?:(?:please|hey|hi|hello|ok|okay|now|kindly|just|then)[\s,!.]+|(?:can|could|would|will)\s+you\s+(?:please\s+)?|i(?:\s+would|['’]d)?\s+(?:like|want|need)\s+(?:you\s+)?to\s+|let(?:['’]s|\s+us)\s+|i\s+(?:want|need)\s+(?=the|my|a|an|all)|we\s+(?:want|need)\s+to\s+|help\s+me\s+(?:to\s+)?)+/iu

/** A text without these characters at its end; a pattern would try each of a long row of blanks as the first. */
const trimEnd = (text: string, marks: RegExp): string => {
  let end = text.length
  while (end > 0 && marks.test(text[end - 1] ?? '')) end--
  return text.slice(0, end)
}

const trimRequest = (text: string): string => {
  const body = trimEnd(text.trim().replace(politeness, ''), /[\s.!?]/)
  const thanks = /(?:^|[\s,])(?:please|thanks|thank you)$/i.exec(body)
  return trimEnd(thanks ? body.slice(0, thanks.index) : body, /[\s,]/)
}

const politeQuestion = /\b(?:please|thanks|thank you|(?:can|could|would|will)\s+you)\b/iu

/** True for a question that is no polite request: it asks about a change, and does not order one. */
const isPlainQuestion = (text: string): boolean => /\?\s*$/.test(text) && !politeQuestion.test(text)

/** True when a verb is said twice, as in "cancel the cancellation". */
const saysTwice = (verb: string | undefined, tokens: readonly Token[]): boolean =>
  verb !== undefined &&
  tokens.filter(token => token.kind === 'word' && stem(token.text) === stem(verb)).length > 1

/**
 * True when words beside those of the operation turn the request: a negation, or for an operation that changes something a condition,
 * a plain question, its verb once more, or, where nothing is left to be asked for, a quantity.
 */
const isTurned = (
  { tool, own, verb }: Entry,
  tokens: readonly Token[],
  { isQuestion, isMissing }: { isQuestion: boolean; isMissing: boolean },
): boolean =>
  (!tool.hints.readOnly && (isQuestion || saysTwice(verb, tokens))) ||
  tokens.some((token, at) => {
    if (token.kind !== 'word' || own.has(stem(token.text))) return false
    const word = token.text.toLowerCase()
    if (isNegation(word) && at > 0) return true
    return !tool.hints.readOnly && (isCondition(word) || (isQuantity(word) && !isMissing))
  })

const maxText = 4000

/** True for a text that is not read to its end: what stands there may be the opposite of what stands before. */
const isTooLong = (text: string, tokens: readonly Token[]): boolean =>
  text.length > maxText || tokens.length === maxTokens

/** `<operation> <value> key=value …`: what follows the longest name of an operation at the start. */
const readOperation = ({ entries }: Grammar, text: string, isQuestion: boolean): Reading | undefined => {
  if (text.length > maxText) return undefined
  const named = entries
    .flatMap(entry =>
      entry.names.map(({ name, begins }) => ({ entry, length: begins.exec(text)?.[0].length ?? 0, name })),
    )
    .filter(({ length }) => length > 0)
    .sort((one, other) => other.name.length - one.name.length)
  const [first] = named
  if (!first) return undefined
  const { tool } = first.entry
  const rest = text.slice(first.length)
  const tokens = tokenize(rest)
  const { input, words, leftovers } = assign(tool, tokens)
  const isMissing = missingFields(tool, input).length > 0
  if (isTooLong(text, tokens) || isTurned(first.entry, tokens, { isQuestion, isMissing })) return undefined
  const content = words.filter(word => !isStopWord(word))
  if (content.length === 0 && leftovers.length === 0) return { tool, input }
  // One plain word is the value of the only text that is missing.
  const [missing, ...others] = missingFields(tool, input)
  if (missing === undefined || others.length > 0 || leftovers.length > 0 || content.length !== 1)
    return undefined
  const [word = ''] = rest.match(new RegExp(`\\b${content[0]}\\b`, 'i')) ?? []
  const schema = tool.input.shape[missing]
  return !isMoney(missing) && schema.safeParse(word).success
    ? { tool, input: { ...input, [missing]: word } }
    : undefined
}

type Scored = {
  entry: Entry
  input: Fields
  score: number
  /** The sentence says the operation, and nothing else. */
  fits: boolean
  /** It says nothing else, and all that the operation needs, but does not say the operation in full. */
  isCovered: boolean
}

/** Words that values stand for, by their form. */
const impliedBy: readonly (readonly [isOne: (token: Token) => boolean, words: readonly string[]])[] = (
  [
    [({ kind }) => kind === 'money', ['money', 'fund', 'usdc', 'usd', 'payment']],
    [token => isValue(token, /^https?:/i), ['url', 'site', 'page', 'address', 'web']],
    [token => isValue(token, /^[^@/:\s]+\.[a-z]{2,}$/i), ['domain', 'site', 'host', 'address']],
    [token => isValue(token, /@/), ['email', 'mail', 'address']],
    [token => isValue(token, /^0x[0-9a-f]{40}$/i), ['address', 'wallet', 'account']],
    [token => isValue(token, /^0x[0-9a-f]{64}$/i), ['transaction', 'hash']],
  ] as [(token: Token) => boolean, string[]][]
).map(([isOne, words]) => [isOne, words.map(stem)])

const isSpoken = (token: Token): token is Token & { kind: 'word' | 'value' } =>
  token.kind === 'word' || token.kind === 'value'

const isValue = (token: Token, form: RegExp): boolean => token.kind === 'value' && form.test(token.text)

const askingStems = ['show', 'look', 'read', 'get', 'list', 'see', 'tell', 'check', 'find'].map(stem)

const isAskingStem = (word: string): boolean => askingStems.includes(word)

/** What is said as plain words, what of a value are words of the operation itself, such as "x402", and the values. */
const toSaid = ({ own }: Entry, tokens: readonly Token[]): { said: string[]; values: Token[] } => {
  const said: string[] = []
  const values: Token[] = []
  for (const token of tokens) {
    const parts = isSpoken(token) ? splitWords(token.text).map(stem) : []
    if (token.kind === 'word') said.push(...parts)
    const isOwn = token.kind === 'value' && parts.every(part => own.has(part))
    if (isOwn) said.push(...parts)
    if (!isOwn || isAcronym(token)) values.push(token)
  }
  return { said, values }
}

const score = (grammar: Grammar, entry: Entry, tokens: readonly Token[], isQuestion: boolean): Scored => {
  const { tool, verb, nouns, titleStart, titleWords, own, written, all, fields } = entry
  const { said: allSaid, values } = toSaid(entry, tokens)
  const { input, words, leftovers: left } = assign(tool, values)
  const leftovers = left.filter(
    token =>
      !(isAcronym(token) && isSpoken(token) && splitWords(token.text).every(part => all.has(stem(part)))),
  )
  const first = tokens[0]?.kind === 'word' ? tokens[0].text.toLowerCase() : ''
  const isRead = tool.hints.readOnly
  const hasVerb = verb !== undefined && isVerbFor(first, verb)
  // A verb is no noun: "list" says nothing of listings.
  const said = hasVerb || isAsking(first) || isKnownVerb(first) ? allSaid.slice(1) : allSaid
  const implied = [
    ...Object.keys(input).flatMap(field => spell(field).split(' ').map(stem)),
    ...values.flatMap(token => impliedBy.flatMap(([isOne, words]) => (isOne(token) ? words : []))),
  ]
  const isSaid = (word: string) => said.includes(word) || implied.includes(word)
  const unsaid = nouns.filter(noun => !isSaid(noun))
  const isNamed = unsaid.length === 0
  const startsWithOwn =
    first !== '' &&
    own.has(stem(first)) &&
    ((isKnownVerb(first) && written.has(first)) ||
      stem(first) === titleStart[0] ||
      (verb === undefined && isNamed && stem(first) === nouns[0]))
  const asksToSee = isRead && isAsking(first) && (verb === undefined || isReading(verb))
  const verbFits = hasVerb || startsWithOwn || asksToSee
  const rest = words.filter((word, at) => !(at === 0 && word === first && verbFits))
  const content = rest
    .filter(word => !isStopWord(word) && !isAsking(word))
    .flatMap(splitWords)
    .map(stem)
  const strange = content.filter(word => !(isRead ? all : own).has(word) && !fields.has(word))
  // A field that is named, and whose value was not understood.
  const unread = content.filter(word => fields.has(word) && !own.has(word) && !implied.includes(word))
  const isTitled = titleWords.length > 0 && titleWords.every(isSaid)
  const telling = tokens
    .flatMap(token => (isSpoken(token) ? splitWords(token.text) : []))
    .filter((word, at) => (!isStopWord(word) || stem(word) === 'my') && !(at === 0 && isAsking(word)))
    .map(stem)
  const known = [...new Set(telling)].filter(word => own.has(word) && allSaid.includes(word))
  const weak = [...new Set(said)].filter(word => !own.has(word) && all.has(word))
  const sum = (list: readonly string[]) => list.reduce((total, word) => total + grammar.weigh(word), 0)
  const opening = tokens.map(token => (token.kind === 'word' ? stem(token.text) : ''))
  const sameStart = titleStart.findIndex((word, at) => word !== opening[at])
  const points =
    3 * sum(known) +
    0.3 * weak.length +
    (isTitled || isNamed ? 2 : 0) +
    1.5 * sameStart +
    (asksToSee && !hasVerb ? (isAskingStem(titleStart[0] ?? '') ? 1 : -1) : 0) +
    (hasVerb ? (first === verb ? 2 : 1.5) : startsWithOwn ? 1 : verbFits ? 0.5 : 0) +
    1.5 * Object.keys(input).length -
    (isTitled ? 0 : 1.5 * sum(unsaid)) -
    3 * (strange.length + unread.length + leftovers.length)
  const isPartly = isRead && verb === undefined && unsaid.length * 2 <= nouns.length
  const isMissing = missingFields(tool, input).length > 0
  const saysNoMore =
    strange.length === 0 &&
    unread.length === 0 &&
    leftovers.length === 0 &&
    known.length > 0 &&
    !(isRead && isMissing && asksForMany(entry, tokens)) &&
    !isTurned(entry, tokens, { isQuestion, isMissing })
  const isCovered =
    saysNoMore &&
    isRead &&
    !isMissing &&
    isAsking(first) &&
    (verb === undefined || isReading(verb)) &&
    Object.keys(input).length + known.length > 1
  const fits = verbFits && saysNoMore && (isNamed || isTitled || isPartly || (asksToSee && known.length > 1))
  return { entry, input, score: points, fits, isCovered }
}

/** True for the plural of a word that the title has in the singular: "deals" are not "a deal". */
const asksForMany = ({ tool, titleStart }: Entry, tokens: readonly Token[]): boolean => {
  const title = splitWords(tool.title)
  return tokens.some(
    ({ kind, ...token }) =>
      kind === 'word' &&
      'text' in token &&
      /[^s]s$/i.test(token.text) &&
      titleStart.includes(stem(token.text)) &&
      !title.includes(token.text.toLowerCase()),
  )
}

/** Points by which a sentence must fit one operation better than the next. */
const margin = 1

/** Points by which a question must be nearer to one operation than to all others, where it does not say which it asks. */
const wideMargin = 6

const preposition = /^(?:for|about|of|on|in|at|regarding)$/i

/** A sentence whose topic stands first, "task_1: who applied?", as "who applied task_1". */
const moveTopic = (tokens: Token[]): Token[] => {
  const [first] = tokens
  const start = first?.kind === 'word' && preposition.test(first.text) ? 1 : 0
  const end = tokens.findIndex((token, at) => at >= start && token.kind !== 'value')
  const asking = tokens[end]
  if (end <= start || asking?.kind !== 'word' || !isAsking(asking.text.toLowerCase())) return tokens
  return [...tokens.slice(end), ...tokens.slice(0, end)]
}

/** Reads a sentence in the imperative, or a question, by the words that operations have for themselves. */
const readSentence = (grammar: Grammar, text: string, isQuestion: boolean): Reading => {
  const tokens = moveTopic(tokenize(text.slice(0, maxText)))
  const stems = tokens.flatMap(token => (isSpoken(token) ? splitWords(token.text).map(stem) : []))
  // An operation of which no word was said is not meant, and to hold each value against its fields is what costs.
  const ranked = grammar.entries
    .filter(({ own }) => stems.some(word => own.has(word)))
    .map(entry => score(grammar, entry, tokens, isQuestion))
    .sort((one, other) => other.score - one.score)
  const fitting = isTooLong(text, tokens) ? [] : ranked.filter(({ fits }) => fits)
  const [best, next] = fitting
  if (best && (!next || best.score - next.score >= margin))
    return { tool: best.entry.tool, input: best.input }
  const [nearestOne, second] = ranked
  if (
    !best &&
    nearestOne?.isCovered &&
    nearestOne.score - (second?.score ?? -wideMargin) >= wideMargin &&
    !isTooLong(text, tokens)
  )
    return { tool: nearestOne.entry.tool, input: nearestOne.input }
  const nearest = [...ranked.map(({ entry }) => entry), ...grammar.entries].map(({ tool }) => tool)
  return { nearest: [...new Set(nearest)].slice(0, 3) }
}

/**
 * Reads a text by the one grammar of words: the name of an operation with its values, else a sentence. What is not said is left out of the
 * input, so that it can be asked for; a sentence that fits two operations alike starts neither.
 */
export const readWords = (grammar: Grammar, text: string): Reading => {
  const request = trimRequest(text)
  const isQuestion = isPlainQuestion(text)
  return readOperation(grammar, request, isQuestion) ?? readSentence(grammar, request, isQuestion)
}

/** Required fields that an input lacks. */
export const missingFields = ({ input: { shape } }: AnyTool, input: Fields): string[] =>
  Object.entries(shape as Record<string, Parameters<typeof isRequired>[0]>).flatMap(([field, schema]) =>
    isRequired(schema) && !Object.hasOwn(input, field) ? [field] : [],
  )

/**
 * Reads what a text says of the input of one tool: of what is missing, where its caller was asked for more. A text that answers the only
 * question is its answer as it is.
 */
export const readAnswer = (tool: AnyTool, text: string, known: Fields = {}): Fields => {
  const request = text.trim()
  const tokens = tokenize(request.slice(0, maxText))
  const input = isTooLong(request, tokens) ? {} : assign(tool, tokens).input
  const [missing, ...others] = missingFields(tool, { ...known, ...input })
  if (missing === undefined || others.length > 0 || Object.keys(input).length > 0 || request === '')
    return input
  const [token, ...more] = tokens
  const amount = token && 'text' in token && more.length === 0 ? token.text : request
  return { [missing]: coerce(tool, missing, isMoney(missing) ? amount : request) }
}
