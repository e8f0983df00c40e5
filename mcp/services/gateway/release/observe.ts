import { collection } from '../../../kernel/collection.ts'
import { toToolError } from '../../../kernel/error.ts'
import { asRecord } from '../../../lib/json.ts'
import { clean } from '../../../lib/text/clean.ts'
import type { Ports } from '../../../ports/ports.ts'
import type { Tx } from '../../../ports/store/port.ts'
import type { GatewaySettings } from '../config.ts'
import { computeDigest } from '../source/fetch-registry.ts'
import { bundledObservations, type Family, type Release, type ReleaseObservation } from './family.ts'

type Row = ReleaseObservation & { id: Family['subject'] }

const observationsIn = collection<Row>({
  name: 'gateway.releases',
  bounded: 'One for each specification that the program watches.',
})

const parseRelease = (value: unknown, official: string): Release | undefined => {
  const { tag_name, name, published_at, html_url, prerelease, id } = asRecord(value)
  if (typeof tag_name !== 'string' || Number.isNaN(Date.parse(String(published_at)))) return undefined
  const url =
    typeof html_url === 'string' && html_url.startsWith('https://')
      ? (clean(html_url, 500) ?? official)
      : official
  return {
    version: clean(tag_name.replace(/^v(?=\d)/, ''), 60) ?? '',
    name: clean(name, 120) ?? clean(tag_name, 60) ?? '',
    published_at: new Date(String(published_at)).toISOString(),
    url,
    prerelease: prerelease === true,
    release_id: clean(String(id ?? ''), 40) ?? '',
  }
}

/** Asked of the source itself: what is kept of it is kept here, with its age. */
const limits = {
  maxBytes: 256 * 1024,
  maxRedirects: 2,
  deadlineMs: 4000,
  accept: 'application/json',
  fresh: true,
}

type ObservePorts = Pick<Ports, 'fetch' | 'store' | 'clock'> & Pick<GatewaySettings, 'releases'>

/** Result of a look: the newest observation, and why it is not fresher. */
export type ObservationResult = { observation: ReleaseObservation; failure: string | null; fetched: boolean }

const before = async (store: Tx, subject: Family['subject']): Promise<ReleaseObservation> =>
  (await observationsIn(store).get(subject)) ?? bundledObservations[subject]

/** Asks for the newest release, with the validator of the time before. A refusal or an outage keeps what was last known. */
export const observe = async (
  { fetch, store, clock, releases }: ObservePorts,
  family: Family,
  signal: AbortSignal,
): Promise<ObservationResult> => {
  const lastObservation = await before(store, family.subject)
  const keep = (failure: string): ObservationResult => ({
    observation:
      lastObservation.method === 'bundled' ? lastObservation : { ...lastObservation, method: 'kept' },
    failure,
    fetched: false,
  })
  try {
    const headers = lastObservation.etag === null ? {} : { 'if-none-match': lastObservation.etag }
    const answer = await fetch(`${releases}${family.path}`, {
      ...limits,
      headers,
      namedBy: 'operator',
      signal,
    })
    const observed_at = clock.now().toISOString()
    if (answer.status === 304 && lastObservation.etag !== null) {
      const observation: ReleaseObservation = { ...lastObservation, observed_at, method: 'revalidated' }
      await observationsIn(store).put({ id: family.subject, ...observation })
      return { observation, failure: null, fetched: true }
    }
    if (answer.status !== 200) return keep(`The source answered ${answer.status}.`)
    const release = parseRelease(JSON.parse(answer.body.toString('utf8')), family.official)
    if (!release) return keep('The source answered something else than a release.')
    const etag = answer.headers.etag ?? null
    const observation: ReleaseObservation = {
      release,
      observed_at,
      digest: computeDigest(answer.body),
      etag,
      method: 'fetched',
    }
    await observationsIn(store).put({ id: family.subject, ...observation })
    return { observation, failure: null, fetched: true }
  } catch (error) {
    return keep(
      error instanceof SyntaxError
        ? 'The source answered no JSON.'
        : `The source could not be read: ${toToolError(error).message}`,
    )
  }
}
