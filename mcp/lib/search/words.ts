import { stem } from '../text/stem.ts'
import table from './data/synonyms.json' with { type: 'json' }

/** Words that say nothing of what a tool does. */
const stopWords = new Set(
  [
    'a about after all also am an and any anything are as at be because been before being below both but by can cannot could did do does doing done each else ever every for from get gets getting give gives given go goes got had has have having he her here him his how however i if in into is it its just know let lets like look make makes many may me might mine more most much must my need needs now of off on one only or other our ours over please quickly really s say see she should show shows so some somebody someone something still such t take tell tells than that the their them then there these they thing things this those through to too tool tools try us use using very via want wants was way we well were what whats when where whether which while who why will wish with without would you your yours',
    'www http https com org net exist exists kind kinds available today correctly become',
  ]
    .join(' ')
    .split(' '),
)

/**
 * Words that mean the same to who asks; the first stands for all. Only what holds for every tool is here: what one tool is
 * called elsewhere is among its `keywords`.
 */
const synonyms = table.facts

const canonical = new Map(
  synonyms.flatMap(group => {
    const [first = '', ...others] = group.split(' ')
    return others.map(word => [stem(word), stem(first)] as const)
  }),
)

const bare = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()

/** The words of a text, without accents. */
export const splitSearchWords = (text: string): string[] =>
  bare(text.replace(/([a-z])([A-Z][a-z])/g, '$1 $2'))
    .replace(/\be-mail/g, 'email')
    .match(/[\p{L}\p{N}]+/gu) ?? []

export const isStopWord = (word: string): boolean => stopWords.has(word)

/** The word that stands for a word and for all that mean the same, without its ending. */
export const toTerm = (word: string): string => {
  const root = stem(word)
  return canonical.get(root) ?? root
}

/** Words of the synonyms, as they are written: a misspelt one is one of them too. */
export const synonymWords = synonyms.flatMap(group => splitSearchWords(group))

/** Shapes of values that questions carry, and the words for what has that shape. */
const shapes: readonly [shape: RegExp, meaning: string][] = [
  [/\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g, ' email address '],
  [/\bhttps?:\/\/\S+/gi, ' url page '],
  [/\b0x[\da-f]{64}\b/gi, ' transaction hash '],
  [/\b0x[\da-f]{40}\b/gi, ' evm address '],
  [/\b[\w-]+\.eth\b/gi, ' ens name evm address '],
  [/\b\d{1,3}(?:\.\d{1,3}){3}\b/g, ' ip address '],
  [/\b(?:[a-z\d-]+\.)+(?!js\b|txt\b|json\b|xml\b|well\b)[a-z]{2,6}\b/gi, ' $& domain '],
]

/** Forms of questions whose own words say nothing, and what each asks for. */
const askings: typeof shapes = [[/\bhow (?:long|fast|quick(?:ly)?|soon)\b/gi, ' duration ']]

/** A question with values replaced by what they are: `ada@example.com` by "email address". */
export const nameThings = (question: string): string =>
  [...shapes, ...askings].reduce((text, [shape, meaning]) => text.replace(shape, meaning), question)

const firstPerson = /\b(?:my|mine|our|ours|(?:am|have|did|do) (?:i|we))\b/i

/** True when a question is about what belongs to who asks. */
export const isAboutOneself = (question: string): boolean => firstPerson.test(question)
