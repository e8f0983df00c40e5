import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import type { Index } from '../index.ts'

/** Content of a store, piece by piece, as one moment has it. Texts are JSON. */
export type Content = {
  collections(): AsyncIterable<{ name: string; indexes: readonly Index[] }>
  rows(collection: string): AsyncIterable<readonly { id: string; text: string }[]>
  /** Claims that still hold; `until` is in milliseconds. */
  claims(): AsyncIterable<readonly { key: string; until: number }[]>
  /** By topic and number. `time` is ISO 8601 to the millisecond. */
  entries(): AsyncIterable<readonly { topic: string; at: number; time: string; text: string }[]>
}

/** How much there is of something, and a digest that does not depend on the order: equal content has equal digests. */
export type Census = Record<string, { count: number; digest: string }>

const modulus = 1n << 256n

/** Adds up digests of pieces, so that two stores which list the same in different orders come to the same. */
const openSum = () => {
  let sum = 0n
  let count = 0
  return {
    add(piece: unknown) {
      const hash = createHash('sha256')
        .update(canonicalize(piece) ?? '')
        .digest('hex')
      sum = (sum + BigInt(`0x${hash}`)) % modulus
      count++
    },
    result: () => ({ count, digest: sum.toString(16).padStart(64, '0') }),
  }
}

const toDefinition = ({ name, fields, unique = false, words = false }: Index) => ({
  name,
  fields,
  unique,
  words,
})

/** Counts and digests of all that a store holds: each collection with its indexes, the claims, and the log. */
export const takeCensus = async (content: Content): Promise<Census> => {
  const census: Census = {}
  for await (const { name, indexes } of content.collections()) {
    const sum = openSum()
    for await (const rows of content.rows(name))
      for (const { id, text } of rows) sum.add([id, JSON.parse(text)])
    census[`collection ${name}`] = sum.result()
    const declared = openSum()
    for (const index of indexes) declared.add(toDefinition(index))
    census[`indexes of ${name}`] = declared.result()
  }
  const claims = openSum()
  for await (const page of content.claims()) for (const { key, until } of page) claims.add([key, until])
  census.claims = claims.result()
  const entries = openSum()
  for await (const page of content.entries())
    for (const { topic, at, time, text } of page) entries.add([topic, at, time, JSON.parse(text)])
  census['entries of logs'] = entries.result()
  return census
}

/** Lists differences of two censuses in words; empty where both are the same. */
export const compareCensus = (source: Census, target: Census): string[] =>
  [...new Set([...Object.keys(source), ...Object.keys(target)])].flatMap(name => {
    const [here, there] = [source[name], target[name]]
    if (here?.digest === there?.digest && here?.count === there?.count) return []
    return [`${name}: ${here?.count ?? 'none'} at the source, ${there?.count ?? 'none'} at the target`]
  })
