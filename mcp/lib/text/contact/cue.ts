import * as z from 'zod'
import { factTable } from '../../facts.ts'
import { withoutMarks } from './views.ts'

/** Role of a thing by the words before it: a way to reach the writer, or something that the offer is about. */
export type Cue = 'reach' | 'look' | 'about' | undefined

const word = (alternatives: readonly string[]): RegExp =>
  new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${alternatives.join('|')})(?![\p{L}\p{N}])`, 'giu')

const me = '(?:me|us|our team|my team|the seller|the author|owner|sales|support)'

/** Text that follows a word for what is traded, and no offer to be reached. */
const notAsSubject = String.raw`(?! (?:forms?|pages?|cent(?:er|re)s?|lists?|data|addresses|verif\p{L}*|valid\p{L}*|marketing|templates?|numbers?|apps?|support|records?|enrichment|sequences?|campaigns?|pars\p{L}*|headers?|deliverability|intelligence|scrap\p{L}*|extract\p{L}*|transcripts?|recordings?|syntax|threads?|archives?|format|fields?))`

const fill = (lines: readonly string[]): RegExp =>
  word(lines.map(line => line.replaceAll('{me}', me).replaceAll('{subject}', notAsSubject)))

/** Words alone, and those of languages that put no spaces between words. */
const either = (alone: RegExp, joined: string): RegExp => new RegExp(`${alone.source}|${joined}`, 'giu')

const lines = z.array(z.string())

const cues = factTable(
  new URL('./data/cues.json', import.meta.url),
  z
    .strictObject({
      /** Words by which somebody offers himself. */
      reach: lines,
      reachJoined: z.string(),
      /** Words that point at something, whoever's it is. */
      look: lines,
      /** Words by which an offer says what it works with, where its data comes from, or what it is like. */
      about: lines,
      aboutJoined: z.string(),
    })
    .transform(({ reach, reachJoined, look, about, aboutJoined }) => ({
      reach: either(fill(reach), withoutMarks(reachJoined)),
      look: word(look),
      about: either(word(about), aboutJoined),
    })),
)

const windowLength = 90

const clauseEnd = /[!?;\n。！？；]|\.(?=\s)/gu

/** The words of the same sentence before a place, at most so many that they can still mean it. */
export const clauseBefore = (text: string, at: number, length = windowLength): string => {
  const window = text.slice(Math.max(0, at - length), at)
  let start = 0
  for (const end of window.matchAll(clauseEnd)) {
    // A colon after the end of a sentence, or an abbreviation, goes on.
    if (/(?:e\.g|i\.e|z\.b|p\. ?ex|vs|incl|tel|tél|no|nr|т\.е|тел)$/i.test(window.slice(0, end.index)))
      continue
    start = end.index + 1
  }
  return window.slice(start)
}

/** The words up to the end of the first sentence. */
export const firstClause = (text: string): string => text.split(/[!?;\n。！？；]|\.(?=\s|$)/u)[0] ?? ''

const lastEnd = (text: string, pattern: RegExp): number => {
  let end = -1
  for (const match of text.matchAll(pattern)) end = match.index + match[0].length
  return end
}

/** The cue that is nearest before a place; `reach` goes before the others where they end together. */
export const cueBefore = (text: string, at: number, length?: number): Cue => {
  const clause = clauseBefore(text, at, length)
  const { reach, about, look } = cues()
  const [toReach, toAbout, toLook] = [lastEnd(clause, reach), lastEnd(clause, about), lastEnd(clause, look)]
  if (Math.max(toReach, toAbout, toLook) < 0) return undefined
  if (toReach >= toAbout && toReach >= 0) return 'reach'
  return toAbout >= toLook ? 'about' : 'look'
}

/** True when a text holds words by which somebody offers himself. */
export const hasReach = (text: string): boolean => text.search(cues().reach) >= 0
