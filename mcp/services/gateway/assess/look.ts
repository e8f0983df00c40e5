import { type ToolError, toToolError } from '../../../kernel/error.ts'
import { parseRecord } from '../../../lib/json.ts'
import { isTargetLimit } from '../../../lib/target-limit.ts'
import type { Fetch, Fetched } from '../../../ports/fetch/port.ts'
import type { Check } from '../check/check.ts'
import { computeDigest } from '../source/fetch-registry.ts'

/** One bounded look at an address: what came, or why nothing did. */
export type Look = {
  url: string
  observed_at: string
  fetched: Fetched | null
  failure: ToolError | null
  digest: string | null
}

/** Asked of the site itself, so that `observed_at` is true. */
const limits = { maxBytes: 128 * 1024, maxRedirects: 2, deadlineMs: 4000, fresh: true }

/** Looks at an address with GET and never throws; nothing but reading is done. */
export const look = async (fetch: Fetch, url: string, signal: AbortSignal, now: Date): Promise<Look> => {
  const at = { url, observed_at: now.toISOString() }
  try {
    const fetched = await fetch(url, { ...limits, accept: 'application/json', signal })
    return { ...at, fetched, failure: null, digest: computeDigest(fetched.body) }
  } catch (error) {
    if (isTargetLimit(error)) throw error
    return { ...at, fetched: null, failure: toToolError(error), digest: null }
  }
}

/** A refused address, or one that led to a refused one: the guard's word, given before any socket to it. */
export const isUnsafe = ({ failure }: Look): boolean =>
  failure?.code === 'invalid_input' || failure?.extra.reason === 'unsafe_redirect'

/** The DNS has no address for the host. */
export const isNameless = ({ failure }: Look): boolean => failure?.extra.reason === 'no_address'

export const isTlsFailure = ({ failure }: Look): boolean => failure?.extra.reason === 'tls_failed'

/** Nobody knows yet: its names or its answer were too slow, or we have asked too often. */
export const isUndecided = ({ failure }: Look): boolean =>
  failure?.code === 'timeout' ||
  failure?.code === 'too_many_requests' ||
  failure?.extra.reason === 'too_slow' ||
  failure?.extra.reason === 'dns_failed'

export const toEvidence = ({ url, observed_at, digest }: Look): Check['evidence'][number] => ({
  url,
  observed_at,
  digest,
})

/** The JSON object of a look; undefined for anything else, cut off or refused. */
export const parseLook = ({ fetched }: Look): Record<string, unknown> | undefined => {
  if (!fetched || fetched.truncated) return undefined
  return parseRecord(fetched.body.toString('utf8'))
}
