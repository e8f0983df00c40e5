import MiniSearch from 'minisearch'
import { findNearest } from '../../lib/text/nearest.ts'
import type { Entry } from '../compile.ts'
import { isAboutOneself, nameThings, saysNothing, splitWords, synonymWords, toTerm } from './words.ts'

const boosts = {
  name: 5,
  title: 4,
  keywords: 4,
  tags: 2,
  service: 1,
  description: 1.5,
  fields: 0.5,
  answers: 0.4,
}

type Field = keyof typeof boosts

const textsIn = ({
  service,
  tool: { name, title, description, keywords = [], a2a, input, output },
}: Entry): Record<Field, string> => ({
  name: name.replaceAll('_', ' '),
  title,
  keywords: keywords.join(' '),
  tags: (a2a?.tags ?? []).join(' '),
  service: `${service.slug} ${service.name}`,
  description,
  fields: Object.keys(input.shape).join(' ').replaceAll('_', ' '),
  answers: Object.keys(output.shape).join(' ').replaceAll('_', ' '),
})

const toTerms = (words: readonly string[]): string[] => words.filter(word => !saysNothing(word)).map(toTerm)

type Spelled = { words: readonly string[]; isGuess: boolean }

/**
 * Words that are written nowhere are read as two that are, put together ("gasgebühren"), or as the nearest that is: one slip, two
 * from seven letters on. The nearest is a guess: in a question of another language it is often a word of no meaning here.
 */
const openSpelling = (texts: readonly string[]) => {
  const words = [...new Set([...texts.flatMap(splitWords), ...synonymWords])].filter(
    word => word.length > 3 && !saysNothing(word),
  )
  const terms = new Set(words.map(toTerm))
  const isWritten = (word: string) => terms.has(toTerm(word))
  const splitCompound = (word: string): readonly string[] | undefined => {
    for (let at = word.length - 4; at >= 4; at--) {
      const [first, second] = [word.slice(0, at), word.slice(at)]
      if (!isWritten(second)) continue
      if (isWritten(first)) return [first, second]
      if (first.endsWith('s') && first.length > 4 && isWritten(first.slice(0, -1)))
        return [first.slice(0, -1), second]
    }
    return undefined
  }
  return (word: string): Spelled => {
    const asWritten = { words: [word], isGuess: false }
    if (!/^[a-z]{4,24}$/.test(word) || saysNothing(word) || isWritten(word)) return asWritten
    if (word.length > 4 && words.some(other => other.startsWith(word))) return asWritten
    const compound = word.length > 8 ? splitCompound(word) : undefined
    if (compound) return { words: compound, isGuess: false }
    const nearest = findNearest(word, words, word.length > 6 ? 2 : 1)
    return nearest === undefined ? asWritten : { words: [nearest], isGuess: true }
  }
}

const maxQueryWords = 40

/** What belongs to who asks: tools have it in their names, but nearly every question says it. */
const own = 'my'
const ownWeight = 0.25

/** What a word counts that was read as another, beside words that stand as they were written. */
const guessWeight = 0.35

/** What scores under this part of the best match is left out. */
const minScore = 0.2

/**
 * Ranks tools for a question, the best first. Words count by how rare they are and where they stand; the beginning of a word counts
 * less than the word itself. The order is total, so the same question always gets the same answer.
 */
export const openSearch = (entries: readonly Entry[]): ((question: string) => Entry[]) => {
  const documents = entries.map((entry, id) => ({ id, ...textsIn(entry) }))
  const spell = openSpelling(documents.flatMap(({ id: _, ...texts }) => Object.values(texts)))
  const index = new MiniSearch<(typeof documents)[number]>({
    fields: Object.keys(boosts),
    // Names and titles keep what says nothing elsewhere: "who am I" is all that some tool is called.
    tokenize: (text, field) =>
      field === 'name' || field === 'title' ? splitWords(text).map(toTerm) : toTerms(splitWords(text)),
    processTerm: term => term,
    searchOptions: {
      tokenize: text => text.split(' '),
      boost: boosts,
      prefix: term => term.length > 2,
      weights: { prefix: 0.3, fuzzy: 0 },
      bm25: { k: 1.2, b: 0.2, d: 0.3 },
    },
  })
  index.addAll(documents)
  return question => {
    const spelled = splitWords(nameThings(question)).slice(0, maxQueryWords).map(spell)
    const words = spelled.flatMap(each => each.words)
    const telling = toTerms(words)
    const terms = [...new Set(telling.length > 0 ? telling : words.map(toTerm))]
    const sure = new Set(toTerms(spelled.flatMap(each => (each.isGuess ? [] : each.words))))
    if (terms.length === 0) return []
    if (isAboutOneself(question)) terms.push(own)
    const results = index.search(terms.join(' '), {
      boostTerm: term => {
        if (term === own) return ownWeight
        return sure.has(term) ? 1 : guessWeight
      },
    })
    const best = results[0]?.score ?? 0
    return results
      .filter(({ score }) => score >= best * minScore)
      .sort((one, other) => other.score - one.score || one.id - other.id)
      .flatMap(({ id }) => entries[id] ?? [])
  }
}
