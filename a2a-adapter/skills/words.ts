import { z } from 'zod'
import { type AnyTool, skillId } from '../../mcp/kernel/tool.ts'
import { rankByTexts, toSearchTexts } from '../../mcp/lib/search/search.ts'
import { toTerm } from '../../mcp/lib/search/words.ts'
import type { Fields } from '../wire/fields.ts'
import { coerce } from './coerce.ts'
import {
  isAsking,
  isCondition,
  isKnownVerb,
  isNegation,
  isParticle,
  isQuantity,
  isReading,
  isStopWord,
  isVerbFor,
  stem,
  verbsAlike,
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
  /** Stem of the word that its description begins with, which is its verb. */
  opens: string
  /** Stems of its name, title and keywords. */
  own: ReadonlySet<string>
  /** The same words as they are written. */
  written: ReadonlySet<string>
  /** Stems of the names of its fields. */
  fields: ReadonlySet<string>
  /** Words that mean the same as one of its own. */
  alike: ReadonlySet<string>
  /** Stems of all that it says of itself, and words that mean the same. */
  all: ReadonlySet<string>
}

export type Grammar = {
  entries: readonly Entry[]
  weigh(stem: string): number
  /** How well each operation fits some words by the ranking of find_tool, the best one with 1. */
  rank(text: string): ReadonlyMap<AnyTool, number>
}

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
    alike: new Set([...[...own].map(toTerm), ...verbsAlike(own)]),
    written: new Set(texts.flatMap(splitWords)),
    all: new Set([...all, ...[...all].map(toTerm)]),
    opens: stem(splitWords(tool.description)[0] ?? ''),
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
  const nobody = { slug: '', name: '' }
  const search = rankByTexts(tools, tool =>
    toSearchTexts(
      nobody,
      tool.name,
      tool,
      z.toJSONSchema(tool.input, { io: 'input', unrepresentable: 'any' }),
    ),
  )
  return {
    entries,
    weigh,
    rank: text => new Map(search(text).map(({ item, share }) => [item, share])),
  }
}

const politeness =
  /^(?:let\s+me\s+(?:know|see)\s+|(?:please|hey|hi|hello|ok|okay|now|kindly|just|then)[\s,!.]+|(?:can|could|would|will)\s+you\s+(?:please\s+)?|i(?:\s+would|['’]d)?\s+(?:like|want|need)\s+(?:you\s+)?to\s+|let(?:['’]s|\s+us)\s+|i\s+(?:want|need)\s+(?=the|my|a|an|all)|we\s+(?:want|need)\s+to\s+|help\s+me\s+(?:to\s+)?)+/iu

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
const repeatsVerb = (verb: string | undefined, tokens: readonly Token[]): boolean =>
  verb !== undefined &&
  tokens.filter(token => token.kind === 'word' && stem(token.text) === stem(verb)).length > 1

/** True for an operation that changes something, or prepares it: by its verb it does more than show. */
const changes = ({ tool, verb }: Pick<Entry, 'tool' | 'verb'>): boolean =>
  !tool.hints.readOnly || (verb !== undefined && !isReading(verb) && !isAsking(verb))

/**
 * True when words beside those of the operation turn the request: a negation, or for an operation that changes something a condition,
 * a plain question, its verb once more, or, where nothing is left to be asked for, a quantity.
 */
const isTurned = (
  { tool, own, written, verb, all }: Entry,
  tokens: readonly Token[],
  { isQuestion, isMissing }: { isQuestion: boolean; isMissing: boolean },
): boolean =>
  (changes({ tool, verb }) && (isQuestion || repeatsVerb(verb, tokens))) ||
  tokens.some((token, at) => {
    if (token.kind !== 'word') return false
    const word = token.text.toLowerCase()
    if (isNegation(word) && (at > 0 || word === 'never')) return !written.has(word)
    if (own.has(stem(word)) || (isParticle(word) && all.has(word))) return false
    return changes({ tool, verb }) && (isCondition(word) || (isQuantity(word) && !isMissing))
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
  /** How near what is asked comes to an operation that only reads. */
  likeness: number
  /** The sentence says the operation, and nothing else. */
  fits: boolean
  /** It says nothing else, and all that the operation needs, but does not say the operation in full. */
  isCovered: boolean
  /** It begins with the verb of the operation. */
  isOrder: boolean
  /** It is a question, or asks to see something. */
  isAsked: boolean
}

const isUrl = (token: Token): boolean => isValue(token, /^https?:/i)

/** Words that values stand for, by their form. */
const impliedBy: readonly (readonly [isOne: (token: Token) => boolean, words: readonly string[]])[] = (
  [
    [({ kind }) => kind === 'money', ['money', 'fund', 'usdc', 'usd', 'payment']],
    [token => isUrl(token), ['url', 'address']],
    [token => isValue(token, /^[^@/:\s]+\.[a-z]{2,}$/i), ['domain', 'host', 'address']],
    [token => isValue(token, /@/), ['email', 'mail', 'address']],
    [token => isValue(token, /^0x[0-9a-f]{40}$/i), ['address', 'wallet', 'account']],
    [token => isValue(token, /^0x[0-9a-f]{64}$/i), ['transaction', 'hash']],
  ] as [(token: Token) => boolean, string[]][]
).map(([isOne, words]) => [isOne, words.map(stem)])

const isSpoken = (token: Token): token is Token & { kind: 'word' | 'value' } =>
  token.kind === 'word' || token.kind === 'value'

const isValue = (token: Token, form: RegExp): boolean => token.kind === 'value' && form.test(token.text)

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

/** How far a word says an operation: one of its own in full, one that means the same less, one of what it says of itself a little. */
const explain = ({ own, alike, all, fields }: Entry, word: string): number => {
  if (own.has(word)) return 1
  if (alike.has(word) || alike.has(toTerm(word))) return 0.7
  return all.has(word) || all.has(toTerm(word)) || fields.has(word) ? 0.3 : 0
}

/** True for an operation whose example names one thing by its id, hash or address. */
const isAboutOne = ({ examples }: AnyTool): boolean =>
  Object.keys(examples[0]).some(field => /(?:^|_)(?:id|hash|address)$/.test(field))

/** Fields whose name stands before a plain word that is no value of theirs, as in "with status odd". */
const findUnread = ({ tool }: Entry, input: Fields, tokens: readonly Token[]): string[] =>
  tokens.flatMap((token, at) => {
    const next = tokens[at + 1]
    if (token.kind !== 'word' || next?.kind !== 'word' || at + 2 < tokens.length) return []
    const field = token.text.toLowerCase()
    const isNamed = Object.hasOwn(tool.input.shape, field) && !Object.hasOwn(input, field)
    return isNamed && !isStopWord(next.text.toLowerCase()) ? [field] : []
  })

type Mood = { isQuestion: boolean; isAdvice: boolean; isNarrative: boolean }

const score = (
  grammar: Grammar,
  entry: Entry,
  tokens: readonly Token[],
  share: number,
  mood: Mood,
): Scored => {
  const { tool, verb, nouns, titleStart, titleWords, own, written, all, fields, opens } = entry
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
  const isMeant = (word: string) => isSaid(word) || said.some(other => toTerm(other) === toTerm(word))
  const unsaid = nouns.filter(noun => !(isRead ? isMeant : isSaid)(noun))
  const isNamed = unsaid.length === 0
  const startsWithOwn =
    first !== '' &&
    (own.has(stem(first)) || stem(first) === opens) &&
    ((written.has(first) && !implied.includes(stem(first))) ||
      stem(first) === titleStart[0] ||
      stem(first) === opens ||
      (verb === undefined && isNamed && stem(first) === nouns[0]))
  const isByKeyword = startsWithOwn && !hasVerb && stem(first) !== titleStart[0]
  const asksToSee = isRead && isAsking(first) && (verb === undefined || isReading(verb))
  const verbFits = hasVerb || startsWithOwn || asksToSee
  const rest = words.filter((word, at) => !(at === 0 && word === first && verbFits))
  const content = rest
    .filter(word => !isStopWord(word) && !isAsking(word))
    .flatMap(splitWords)
    .map(stem)
  const missing = missingFields(tool, input)
  const hasRequired = missing.length === 0 && Object.keys(input).length > 0
  const strange = content.filter(
    word => !fields.has(word) && explain(entry, word) < (isRead || hasRequired ? 0.1 : 0.7),
  )
  const awaited = missing.flatMap(field => spell(field).split(' ').map(stem))
  // A field that is named, and whose value was not understood.
  const unread = [
    ...content.filter(
      word => fields.has(word) && !own.has(word) && !implied.includes(word) && !awaited.includes(word),
    ),
    ...findUnread(entry, input, tokens),
  ]
  const isTitled = titleWords.length > 0 && titleWords.every(isSaid)
  const telling = tokens
    .flatMap(token => (isSpoken(token) ? splitWords(token.text) : []))
    .filter(
      (word, at) =>
        (!isStopWord(word) || stem(word) === 'my') && !(at === 0 && isAsking(word) && !startsWithOwn),
    )
    .map(stem)
  const spoken = [...new Set(telling)].filter(word => allSaid.includes(word))
  const known = spoken.filter(word => own.has(word))
  const sum = (list: readonly string[]) => list.reduce((total, word) => total + grammar.weigh(word), 0)
  const explained = spoken.reduce(
    (total, word) => total + explain(entry, word) * (word === 'my' ? 0.5 : grammar.weigh(word)),
    0,
  )
  const filled = Object.entries(input).map(([field, value]) => weighField(field, value))
  const strangers = tokens.filter(
    (token, at) =>
      at > 0 && token.kind === 'word' && /^\p{Lu}/u.test(token.text) && strange.includes(stem(token.text)),
  )
  const points =
    rankWeight * share +
    2 * explained +
    (hasVerb ? (first === verb ? 2 : 1.5) : startsWithOwn ? 1 : verbFits ? 0.5 : 0) +
    filled.reduce((total, one) => total + one, 0) -
    2 * missing.length -
    (isTitled ? 0 : 1.5 * sum(unsaid)) -
    3 * (strange.length + unread.length + leftovers.length)
  const titleShare = titleWords.filter(isMeant).length / Math.max(1, titleWords.length)
  const likeness =
    rankWeight * share +
    2 * titleShare +
    (nouns.every(noun => said.some(other => toTerm(other) === toTerm(noun))) ? 3 : 0) +
    explained / (1 + strange.length) +
    filled.reduce((total, one) => total + one, 0) -
    3 * missing.length -
    1.5 * strange.length -
    4 * (unread.length + leftovers.length)
  const isMissing = missing.length > 0
  const isTurnedAway = isTurned(entry, tokens, {
    isQuestion: mood.isQuestion,
    isMissing: isMissing && !isByKeyword,
  })
  const saysNoMore =
    strange.length === 0 &&
    unread.length === 0 &&
    leftovers.length === 0 &&
    known.length > 0 &&
    !(isRead && isMissing && (mood.isQuestion || asksForMany(entry, tokens))) &&
    !isTurnedAway
  const isOrder = (hasVerb || startsWithOwn) && (!isAsking(first) || stem(first) === titleStart[0])
  const fits = verbFits && saysNoMore && (isNamed || isTitled || (isOrder && hasRequired))
  const isAsked = mood.isQuestion || verbFits || isAsking(first)
  const startsWithWord =
    !isKnownVerb(first) && !implied.includes(stem(first)) && explain(entry, stem(first)) > 0
  const isEvident =
    (filled.length > 0 && explained > 0 && (isAsked || known.length > 0)) ||
    known.length > 1 ||
    ((mood.isQuestion || isTitled) && known.length > 0) ||
    (isAsked && share === 1 && spoken.filter(word => explain(entry, word) > 0).length > 1)
  const isCovered =
    isRead &&
    !changes(entry) &&
    !isTurnedAway &&
    !mood.isAdvice &&
    !mood.isNarrative &&
    (isAsked || (startsWithWord && !isMissing)) &&
    leftovers.length + unread.length + strangers.length === 0 &&
    isEvident &&
    share > 0 &&
    !(Object.keys(input).length === 0 && isAboutOne(tool)) &&
    strange.length <= known.length + filled.length &&
    !(
      isMissing &&
      (mood.isQuestion ||
        missing.length > 1 ||
        asksForMany(entry, tokens) ||
        known.length + filled.length < 2)
    )
  return { entry, input, score: points, likeness, fits, isCovered, isOrder, isAsked }
}

/** Points for a value in a field: most where the field is named after its form, less than none for a page in a field of something else. */
const weighField = (field: string, value: unknown): number => {
  const token: Token = { kind: 'value', text: String(value) }
  const forms = impliedBy.filter(([isOne]) => typeof value === 'string' && isOne(token))
  if (forms.length === 0) return 1
  const parts = spell(field).split(' ').map(stem)
  if (forms.some(([, words]) => parts.some(part => words.includes(part)))) return 2
  return isUrl(token) ? -2 : 1
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

/** Points by which what is asked must be nearer to one operation than to all others, and where nothing is asked in so many words. */
const readMargin = 1.5
const wideMargin = 3

/** Points below which nothing is meant. */
const minLikeness = 6

/** Points for being the best of the ranking of find_tool. */
const rankWeight = 8

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

/** What somebody tells of himself or of others orders nothing, and "should I" asks for advice. */
const narrative =
  /^(?:i|he|she|they|we|it|my|his|her|their|our|the|some(?:body|one)|any(?:body|one)|every(?:body|one))$/iu
const advice =
  /^(?:why|should|would|shall|must|ought|what (?:will|would|happens|if)|how (?:to|(?:do|does|can|could|should) (?:i|one|we|you|people|someone|somebody|anyone))|who (?:can|could|may)|(?:tell|show|explain) (?:me )?how to)\b/iu

const toMood = (text: string, request: string): Mood => {
  const [first = ''] = splitWords(request)
  return {
    isQuestion: isPlainQuestion(text),
    isAdvice: advice.test(request),
    isNarrative: narrative.test(first),
  }
}

/** The operation whose order a sentence is. */
const findOrdered = (ranked: readonly Scored[]): Scored | undefined => {
  const [best, next] = ranked.filter(({ fits }) => fits)
  if (!best || (next && best.score - next.score < margin)) return undefined
  // What changes something, and is not ordered, is only spoken of.
  const isBeaten = ranked.some(
    ({ entry, isOrder, score, likeness }) =>
      (isOrder || entry.tool.hints.readOnly) &&
      (score - best.score >= wideMargin ||
        (best.entry.tool.hints.readOnly && likeness - best.likeness >= readMargin)),
  )
  return isBeaten ? undefined : best
}

const toAsked = ({ likeness, score }: Scored): number => likeness + 0.4 * score

/** The operation that shows what a sentence asks for, where both rankings agree and nothing that changes something is meant. */
const findAsked = (ranked: readonly Scored[]): Scored | undefined => {
  const isOrder = ({ entry, isOrder }: Scored) => isOrder && !entry.tool.hints.readOnly
  if (ranked.some(isOrder) || ranked.find(({ fits }) => fits)?.entry.tool.hints.readOnly === false)
    return undefined
  const [first, second] = ranked
    .filter(({ entry }) => entry.tool.hints.readOnly)
    .sort((one, other) => toAsked(other) - toAsked(one))
  if (!first?.isCovered || first.likeness < minLikeness) return undefined
  const lead = toAsked(first) - (second ? toAsked(second) : -wideMargin)
  const isBeaten = ranked.some(
    ({ entry, likeness }) => !entry.tool.hints.readOnly && likeness - first.likeness >= wideMargin,
  )
  return isBeaten || lead < wideMargin ? undefined : first
}

/** Reads a sentence in the imperative, or a question, by the words that operations have for themselves. */
const readSentence = (grammar: Grammar, request: string, mood: Mood): Reading => {
  const tokens = moveTopic(tokenize(request.slice(0, maxText)))
  const shares = grammar.rank(plainText(tokens))
  const stems = tokens.flatMap(token => (isSpoken(token) ? splitWords(token.text).map(stem) : []))
  // An operation of which no word was said is not meant, and to hold each value against its fields is what costs.
  const ranked = grammar.entries
    .filter(entry => shares.has(entry.tool) || stems.some(word => explain(entry, word) > 0.5))
    .map(entry => score(grammar, entry, tokens, shares.get(entry.tool) ?? 0, mood))
    .sort((one, other) => other.score - one.score)
  const found = isTooLong(request, tokens) ? undefined : (findOrdered(ranked) ?? findAsked(ranked))
  if (found) return { tool: found.entry.tool, input: found.input }
  const nearest = [...ranked.map(({ entry }) => entry), ...grammar.entries].map(({ tool }) => tool)
  return { nearest: [...new Set(nearest)].slice(0, 3) }
}

/** What is said in plain words: the form of a value says where it goes, not what is asked. */
const plainText = (tokens: readonly Token[]): string =>
  tokens
    .flatMap(token => (token.kind === 'word' || (isAcronym(token) && isSpoken(token)) ? [token.text] : []))
    .join(' ')

/**
 * Reads a text by the one grammar of words: the name of an operation with its values, else a sentence. What is not said is left out of the
 * input, so that it can be asked for; a sentence that fits two operations alike starts neither.
 */
export const readWords = (grammar: Grammar, text: string): Reading => {
  const request = trimRequest(text)
  const mood = toMood(text, request)
  return readOperation(grammar, request, mood.isQuestion) ?? readSentence(grammar, request, mood)
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
