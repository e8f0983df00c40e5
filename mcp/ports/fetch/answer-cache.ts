import { Writable } from 'node:stream'
import type { interceptors } from 'undici'

type Store = NonNullable<NonNullable<Parameters<typeof interceptors.cache>[0]>['store']>
type Key = Parameters<Store['get']>[0]
type Value = Parameters<Store['createWriteStream']>[1]
type Answer = Value & { chunks: Buffer[]; bytes: number }

const maxAgeMs = 3_600_000

/** True when the site itself says how long its answer holds; a guess from `Last-Modified` does not count. */
const hasLifetime = ({ headers, cacheControlDirectives: directives }: Value): boolean =>
  directives?.['max-age'] !== undefined ||
  directives?.['s-maxage'] !== undefined ||
  headers.expires !== undefined

/**
 * Fresh for as long as the site says, an hour at most; without its word the answer is asked about again each time. What is
 * stale is never served: a site that is down is an error and not an old page.
 */
const compactBody = (value: Value): Value => {
  const {
    'stale-while-revalidate': _,
    'stale-if-error': __,
    ...directives
  } = value.cacheControlDirectives ?? {}
  const lifetimeMs = hasLifetime(value) ? maxAgeMs : 0
  return {
    ...value,
    cacheControlDirectives: directives,
    staleAt: Math.min(value.staleAt, value.cachedAt + lifetimeMs),
  }
}

const cacheKey = ({ method, origin, path }: Key) => `${method} ${origin}${path}`

const sameChoice = ({ headers = {} }: Key, vary: Value['vary']): boolean =>
  Object.entries(vary ?? {}).every(
    ([name, value]) => JSON.stringify(headers[name] ?? null) === JSON.stringify(value ?? null),
  )

const entrySize = (key: Key, { headers }: Value) => cacheKey(key).length + JSON.stringify(headers).length

/**
 * Answers of the web for undici's cache, in memory: 32 MiB in all, 1 MiB each, as they came over the wire; what was used
 * longest ago goes first. (The store that undici brings drops nothing as long as each address has one answer.)
 */
export const openAnswerCache = ({
  mostBytes: maxBytes = 32 << 20,
  mostBytesEach: maxBytesEach = 1 << 20,
} = {}): Store & {
  bytes(): number
} => {
  const answers = new Map<string, Answer>()
  let total = 0

  const drop = (name: string) => {
    total -= answers.get(name)?.bytes ?? 0
    answers.delete(name)
  }

  const keep = (name: string, answer: Answer) => {
    drop(name)
    answers.set(name, answer)
    total += answer.bytes
    for (const oldest of answers.keys()) {
      if (total <= maxBytes) return
      drop(oldest)
    }
  }

  return {
    bytes: () => total,
    delete: key => drop(cacheKey(key)),

    get(key) {
      const name = cacheKey(key)
      const answer = answers.get(name)
      if (answer && answer.deleteAt <= Date.now()) drop(name)
      else if (answer && sameChoice(key, answer.vary)) {
        answers.delete(name)
        answers.set(name, answer)
        const { chunks, bytes: _, cacheControlDirectives = {}, ...value } = answer
        return { ...value, cacheControlDirectives, body: chunks }
      }
      return undefined
    },

    createWriteStream(key, value) {
      const answer: Answer = { ...compactBody(value), chunks: [], bytes: entrySize(key, value) }
      return new Writable({
        /** A copy, because a chunk may be a small part of a large buffer. */
        write(chunk: Buffer, _encoding, callback) {
          answer.bytes += chunk.length
          answer.chunks.push(Buffer.from(chunk))
          if (answer.bytes > maxBytesEach) this.destroy()
          callback()
        },
        final(callback) {
          keep(cacheKey(key), answer)
          callback()
        },
      })
    },
  }
}
