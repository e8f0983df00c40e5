/** The part of a text that a feature belongs to: each part is scaled by its own size, so that no part drowns the other. */
export type FeatureParts = readonly [words: readonly number[], grams: readonly number[]]

const stemLength = 6
const pairLength = 5
const [shortestGram, longestGram] = [4, 6]
const [wordSeed, pairSeed, gramSeed] = [0x811c9dc5, 0x51ed270b, 0x9e3779b9]

const step = (hash: number, unit: number): number => Math.imul(hash ^ unit, 0x01000193)

/** An FNV-1a hash, whose upper bits are mixed into the lower ones. */
const mix = (hash: number): number => {
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  return mixed ^ (mixed >>> 12)
}

/** Bucket of a hash; the number of buckets is a power of two. */
const toBucket = (hash: number, buckets: number): number => mix(hash) & (buckets - 1)

const hashText = (text: string, length: number, seed: number): number => {
  let hash = seed
  for (let at = 0; at < length && at < text.length; at++) hash = step(hash, text.charCodeAt(at))
  return hash
}

const hashPair = (first: string, second: string, seed: number): number =>
  hashText(second, pairLength, step(hashText(first, pairLength, seed), 0x5f))

/** Collects buckets, each once. */
const openBuckets = (buckets: number) => {
  const marks = new Uint8Array(buckets)
  const found: number[] = []
  const add = (bucket: number) => {
    if (marks[bucket] === 0) found.push(bucket)
    marks[bucket] = 1
  }
  return { found, add }
}

/** All runs of 4 to 6 characters, each bucket once. */
const gramBuckets = (text: string, buckets: number): number[] => {
  const { found, add } = openBuckets(buckets)
  for (let start = 0; start < text.length; start++) {
    let hash = gramSeed
    for (let at = start; at < start + longestGram && at < text.length; at++) {
      hash = step(hash, text.charCodeAt(at))
      if (at - start + 1 >= shortestGram) add(toBucket(hash, buckets))
    }
  }
  return found
}

/** Hash of a word by its stem: its lower bits are its bucket. */
export const hashWord = (word: string): number => mix(hashText(word, stemLength, wordSeed))

/** Hash of two neighbours. */
export const hashNeighbours = (first: string, second: string): number =>
  mix(hashPair(first, second, pairSeed))

/** Names written in camel or snake case come apart into their words. */
const splitNames = (text: string): string => text.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').replaceAll('_', ' ')

const wordPattern = /\p{L}+(?:'t)?|[%$€?!:();`]/gu

/** Features of a whole text, each once: stems, pairs of neighbours, and runs of characters. Linear in its length. */
export const textFeatures = (text: string, buckets: number): { parts: FeatureParts; wordCount: number } => {
  const plain = splitNames(text).toLowerCase()
  const words =
    plain
      .replace(/https?:\/\/\S+/g, ' url ')
      .replace(/\d[\d.,]*/g, ' num ')
      .match(wordPattern) ?? []
  const { found, add } = openBuckets(buckets)
  words.forEach((word, nth) => {
    add(hashWord(word) & (buckets - 1))
    if (nth > 0) add(hashNeighbours(words[nth - 1] ?? '', word) & (buckets - 1))
  })
  const run = plain.replace(/\s+/g, ' ').replace(/\d/g, '0')
  return {
    parts: [found, gramBuckets(run, buckets)],
    wordCount: words.length,
  }
}
