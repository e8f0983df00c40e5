import MiniSearch from 'minisearch'
import { isRecord } from '../json.ts'
import { findNearest } from '../text/nearest.ts'
import { isAboutOneself, isStopWord, nameThings, splitSearchWords, synonymWords, toTerm } from './words.ts'

/** Weight of a word by where it stands, as measured with the questions of test/mcp/. */
const boosts = {
  name: 2,
  title: 2,
  keywords: 3,
  service: 0.5,
  description: 3,
  fields: 0.8,
  answers: 0.4,
  details: 0.4,
}

type Field = keyof typeof boosts

/** Words of a schema: descriptions of fields, and the values that it lists. */
const wordsOf = (schema: unknown): string[] => {
  if (Array.isArray(schema)) return schema.flatMap(wordsOf)
  if (!isRecord(schema)) return []
  return Object.entries(schema).flatMap(([key, value]) => {
    if (key === 'description' && typeof value === 'string') return [value]
    return key === 'enum' && Array.isArray(value) ? value.map(String) : wordsOf(value)
  })
}

/** What is said of a tool, by where it stands. */
export type SearchTexts = Readonly<Record<Field, string>>

/** The texts by which a tool is found; `schema` is the JSON Schema of its input. */
export const toSearchTexts = (
  service: { slug: string; name: string },
  name: string,
  tool: {
    title: string
    description: string
    keywords?: readonly string[]
    input: { shape: object }
    output: { shape: object }
  },
  schema: unknown,
): SearchTexts => ({
  name: name.replaceAll('_', ' '),
  title: tool.title,
  keywords: (tool.keywords ?? []).join(' '),
  service: `${service.slug} ${service.name}`,
  description: tool.description,
  fields: Object.keys(tool.input.shape).join(' ').replaceAll('_', ' '),
  answers: Object.keys(tool.output.shape).join(' ').replaceAll('_', ' '),
  details: wordsOf(schema).join(' '),
})

const toTerms = (words: readonly string[]): string[] => words.filter(word => !isStopWord(word)).map(toTerm)

type Spelled = { word: string; isGuess: boolean }

/**
 * A word that is written nowhere is read as two words of a name (`dnslookup`), else as the nearest that is written: one slip, two from
 * seven letters on. The nearest is a guess.
 */
const openSpelling = (texts: readonly string[], names: readonly string[]) => {
  const words = [...new Set([...texts.flatMap(splitSearchWords), ...synonymWords])].filter(
    word => word.length > 3 && !isStopWord(word),
  )
  const terms = new Set(words.map(toTerm))
  const isWritten = (word: string) => terms.has(toTerm(word))
  const nameWords = new Set(names.flatMap(splitSearchWords))
  const splitJoined = (word: string): string[] | undefined => {
    const first = [...nameWords].find(part => word.startsWith(part) && nameWords.has(word.slice(part.length)))
    return first === undefined ? undefined : [first, word.slice(first.length)]
  }
  return (word: string): Spelled[] => {
    const asWritten = [{ word, isGuess: false }]
    if (!/^[a-z]{4,24}$/.test(word) || isStopWord(word) || isWritten(word)) return asWritten
    const joined = splitJoined(word)
    if (joined) return joined.map(part => ({ word: part, isGuess: false }))
    if (word.length > 4 && words.some(other => other.startsWith(word))) return asWritten
    const nearest = findNearest(word, words, word.length > 6 ? 2 : 1)
    return nearest === undefined ? asWritten : [{ word: nearest, isGuess: true }]
  }
}

const maxQueryWords = 40

/** Word for the asker's own: tools have it in their names, but nearly every question says it. */
const own = 'my'
const ownWeight = 0.25

/** Weight of a word that was read as another, beside words that stand as they were written. */
const guessWeight = 0.35

/** What the weight of a word falls by with each word before it: the act and its object come first, circumstances last. */
const decay = 0.1

/** Weight of the act that a question begins with, where titles begin with it too: to prove a deletion is to prove. */
const actWeight = 1.3

/** Part of the best match below which a score is left out. */
const minScore = 0.2

/** An item that fits a question, and how well it does beside the best one, which has 1. */
export type RankedItem<item> = { item: item; share: number }

/**
 * Ranks tools for a question, the best first. Words count by how rare they are and where they stand; the beginning of a word counts
 * less than the word itself. The order is total, so the same question always gets the same answer.
 */
export const rankByTexts = <item>(
  items: readonly item[],
  toTexts: (item: item) => SearchTexts,
): ((question: string) => RankedItem<item>[]) => {
  const documents = items.map((item, id) => ({ id, ...toTexts(item) }))
  const spell = openSpelling(
    documents.flatMap(({ id: _, ...texts }) => Object.values(texts)),
    documents.map(({ name }) => name),
  )
  const index = new MiniSearch<(typeof documents)[number]>({
    fields: Object.keys(boosts),
    // Names and titles keep what says nothing elsewhere: "who am I" is all that some tool is called.
    tokenize: (text, field) =>
      field === 'name' || field === 'title'
        ? splitSearchWords(text).map(toTerm)
        : toTerms(splitSearchWords(text)),
    processTerm: term => term,
    searchOptions: {
      tokenize: text => text.split(' '),
      boost: boosts,
      prefix: term => term.length > 2,
      weights: { prefix: 0.5, fuzzy: 0 },
      bm25: { k: 1.6, b: 0, d: 0.1 },
    },
  })
  index.addAll(documents)
  const acts = new Set(documents.flatMap(({ title }) => toTerms(splitSearchWords(title)).slice(0, 1)))
  return question => {
    const spelled = splitSearchWords(nameThings(question)).slice(0, maxQueryWords).flatMap(spell)
    const words = spelled.map(each => each.word)
    const telling = toTerms(words)
    const terms = [...new Set(telling.length > 0 ? telling : words.map(toTerm))]
    const sure = new Set(toTerms(spelled.flatMap(each => (each.isGuess ? [] : [each.word]))))
    if (terms.length === 0) return []
    if (isAboutOneself(question)) terms.push(own)
    const results = index.search(terms.join(' '), {
      boostTerm: term => {
        if (term === own) return ownWeight
        const place = terms.indexOf(term)
        const isAct = place === 0 && terms.length > 1 && acts.has(term)
        return ((sure.has(term) ? 1 : guessWeight) * (isAct ? actWeight : 1)) / (1 + decay * place)
      },
    })
    const best = results[0]?.score ?? 0
    return results
      .filter(({ score }) => score >= best * minScore)
      .sort((one, other) => other.score - one.score || one.id - other.id)
      .flatMap(({ id, score }) => {
        const item = items[id]
        return item === undefined ? [] : [{ item, share: score / best }]
      })
  }
}
