import { Writable } from 'node:stream'
import type { interceptors } from 'undici'

type Store = NonNullable<NonNullable<Parameters<typeof interceptors.cache>[0]>['store']>
type Key = Parameters<Store['get']>[0]
type Value = Parameters<Store['createWriteStream']>[1]
type Answer = Value & { chunks: Buffer[]; bytes: number }

const longestMs = 3_600_000

/** Whether the site itself says how long its answer holds; a guess from `Last-Modified` does not count. */
const saysHowLong = ({ headers, cacheControlDirectives: said }: Value): boolean =>
  said?.['max-age'] !== undefined || said?.['s-maxage'] !== undefined || headers.expires !== undefined

/**
 * Fresh for as long as the site says, an hour at most; without its word the answer is asked about again each time. What is
 * stale is never served: a site that is down is an error and not an old page.
 */
const tightened = (value: Value): Value => {
  const { 'stale-while-revalidate': _, 'stale-if-error': __, ...said } = value.cacheControlDirectives ?? {}
  const longest = saysHowLong(value) ? longestMs : 0
  return {
    ...value,
    cacheControlDirectives: said,
    staleAt: Math.min(value.staleAt, value.cachedAt + longest),
  }
}

const nameOf = ({ method, origin, path }: Key) => `${method} ${origin}${path}`

const sameChoice = ({ headers = {} }: Key, vary: Value['vary']): boolean =>
  Object.entries(vary ?? {}).every(
    ([name, value]) => JSON.stringify(headers[name] ?? null) === JSON.stringify(value ?? null),
  )

const sizeOf = (key: Key, { headers }: Value) => nameOf(key).length + JSON.stringify(headers).length

/**
 * Answers of the web for undici's cache, in memory: 32 MiB in all, 1 MiB each, as they came over the wire; what was used
 * longest ago goes first. (The store that undici brings drops nothing as long as each address has one answer.)
 */
export const openKeptAnswers = ({
  mostBytes = 32 << 20,
  mostBytesEach = 1 << 20,
} = {}): Store & {
  bytes(): number
} => {
  const kept = new Map<string, Answer>()
  let total = 0

  const drop = (name: string) => {
    total -= kept.get(name)?.bytes ?? 0
    kept.delete(name)
  }

  const keep = (name: string, answer: Answer) => {
    drop(name)
    kept.set(name, answer)
    total += answer.bytes
    for (const oldest of kept.keys()) {
      if (total <= mostBytes) return
      drop(oldest)
    }
  }

  return {
    bytes: () => total,
    delete: key => drop(nameOf(key)),

    get(key) {
      const name = nameOf(key)
      const found = kept.get(name)
      if (found && found.deleteAt <= Date.now()) drop(name)
      else if (found && sameChoice(key, found.vary)) {
        kept.delete(name)
        kept.set(name, found)
        const { chunks, bytes: _, cacheControlDirectives = {}, ...value } = found
        return { ...value, cacheControlDirectives, body: chunks }
      }
      return undefined
    },

    createWriteStream(key, value) {
      const answer: Answer = { ...tightened(value), chunks: [], bytes: sizeOf(key, value) }
      return new Writable({
        /** A copy, because a chunk may be a small part of a large buffer. */
        write(chunk: Buffer, _encoding, done) {
          answer.bytes += chunk.length
          answer.chunks.push(Buffer.from(chunk))
          if (answer.bytes > mostBytesEach) this.destroy()
          done()
        },
        final(done) {
          keep(nameOf(key), answer)
          done()
        },
      })
    },
  }
}
