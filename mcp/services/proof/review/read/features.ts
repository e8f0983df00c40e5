import type { Line } from './lines.ts'

const stemLength = 6
const pairLength = 5

/** FNV-1a over UTF-16 units. Kinds of features begin with seeds of their own. */
const hash = (text: string, seed: number, from = 0, to = text.length): number => {
  let value = seed
  for (let at = from; at < to; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  return value >>> 0
}

const splitNames = (text: string): string => text.replace(/([a-z])([A-Z])/g, '$1 $2').replaceAll('_', ' ')

const readWords = (text: string): string[] => {
  const plain = text
    .toLowerCase()
    .replace(/https?:\/\/\S+/g, ' URL ')
    .replace(/\d[\d.,]*/g, ' NUM ')
  return plain.match(/\p{L}+(?:'t)?|[%$€?!:();`]/gu) ?? []
}

const addStems = (found: Set<number>, words: readonly string[], seed: number) => {
  for (const word of words) found.add(hash(word.slice(0, stemLength), seed))
}

const addPairs = (found: Set<number>, words: readonly string[], seed: number) => {
  for (let nth = 1; nth < words.length; nth++) {
    const before = words[nth - 1]?.slice(0, pairLength)
    found.add(hash(`${before}_${words[nth]?.slice(0, pairLength)}`, seed))
  }
}

/** All runs of so many characters; each digit is 0, and white space one blank. */
const readGrams = (text: string, length: number, seed: number): Set<number> => {
  const plain = text.toLowerCase().replace(/\s+/g, ' ').replace(/\d/g, '0')
  const found = new Set<number>()
  for (let at = 0; at + length <= plain.length; at++) found.add(hash(plain, seed, at, at + length))
  return found
}

const [wordSeed, gramSeed, addedSeed, removedSeed, contextSeed] = [
  0x811c9dc5, 0x9e3779b9, 0x85ebca6b, 0xc2b2ae35, 0x27d4eb2f,
] as const

/** What a text is weighed by, as hashes, each once: its words in one part, its runs of characters in another. */
export type Features = { parts: readonly ReadonlySet<number>[]; wordCount: number }

/** Words cut to six letters, the same as said in an artifact of this type, neighbours, and runs of five characters. Linear. */
export const readTextFeatures = (type: string, text: string): Features => {
  const plain = splitNames(text)
  const words = readWords(plain)
  const found = new Set<number>()
  addStems(found, words, wordSeed)
  addStems(found, words, hash(`${type}|`, wordSeed))
  addPairs(found, words, wordSeed)
  return { parts: [found, readGrams(plain, 5, gramSeed)], wordCount: words.length }
}

const textOf = (lines: readonly Line[], change: Line['change']): string =>
  lines.flatMap(line => (line.change === change ? line.text : [])).join('\n')

const addNew = (
  found: Set<number>,
  grams: ReadonlySet<number>,
  others: ReadonlySet<number>,
  seed: number,
) => {
  for (const gram of grams) if (!others.has(gram)) found.add(Math.imul(gram ^ seed, 0x01000193) >>> 0)
}

/** Words and neighbours as they are added or taken away, words around them, and runs of four characters that are on one side only. */
export const readDiffFeatures = (lines: readonly Line[]): Features => {
  const [added, removed, context] = (['added', 'removed', 'context'] as const).map(change =>
    splitNames(textOf(lines, change)),
  ) as [string, string, string]
  const found = new Set<number>()
  let wordCount = 0
  for (const [text, seed] of [
    [added, addedSeed],
    [removed, removedSeed],
  ] as const) {
    const words = readWords(text)
    wordCount += words.length
    addStems(found, words, seed)
    addPairs(found, words, seed)
  }
  addStems(found, readWords(context), contextSeed)
  const [gained, lost] = [readGrams(added, 4, gramSeed), readGrams(removed, 4, gramSeed)]
  const changed = new Set<number>()
  addNew(changed, gained, lost, addedSeed)
  addNew(changed, lost, gained, removedSeed)
  return { parts: [found, changed], wordCount }
}
