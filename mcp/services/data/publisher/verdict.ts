import type { Note } from '../meta.ts'
import { type Lookalike, lookalike } from './lookalike.ts'
import { match, type PublisherMatch } from './match.ts'

export type Confidence = 'high' | 'medium' | 'low'

/** Verdict on a host: whether its publisher is official, how sure that is, and why. */
export type PublisherVerdict = PublisherMatch & {
  host: string
  confidence: Confidence
  lookalike: Lookalike | null
  reasons: Note[]
}

const likeness: Readonly<Record<Lookalike['how'], string>> = {
  embedded: 'carries the name of',
  homoglyph: 'is written with letters that look like those of',
  other_suffix: 'has the name, under another ending, of',
  typo: 'is nearly spelt like',
}

const listedReason = ({ official, publisher, matched }: PublisherMatch): Note =>
  official
    ? { code: 'listed', message: `${matched} is listed: ${publisher?.name}.` }
    : {
        code: 'listed_unofficial',
        message: `${matched} is known and not official: ${publisher?.name} (${publisher?.kind}).`,
      }

const explainVerdict = (host: string, result: PublisherMatch, like: Lookalike | null): Note => {
  if (result.matched_by === 'list') return listedReason(result)
  if (result.matched_by === 'tld')
    return { code: 'state_suffix', message: `.${result.matched} is kept for public bodies.` }
  if (like) return { code: 'lookalike', message: `${host} ${likeness[like.how]} ${like.of} and is not it.` }
  return { code: 'not_listed', message: `${host} is on no list of official publishers; it may still be one.` }
}

const rateConfidence = (result: PublisherMatch, like: Lookalike | null, https: boolean): Confidence => {
  if (!result.official) return result.matched_by === 'list' || like ? 'high' : 'low'
  if (result.matched_by === 'list') return https ? 'high' : 'medium'
  return https ? 'medium' : 'low'
}

/** Judges the host of an address by its name alone. */
export const judgePublisher = (url: string): PublisherVerdict => {
  const { hostname, protocol } = new URL(url)
  const host = hostname.replace(/\.$/, '')
  const result = match(host)
  const https = protocol === 'https:'
  const like = result.matched_by === 'none' ? lookalike(host) : null
  const reasons = [explainVerdict(host, result, like)]
  if (result.official && !https)
    reasons.push({
      code: 'not_https',
      message: 'It is not read over https, so what is shown may have been changed on the way.',
    })
  if (result.publisher?.kind === 'archive')
    reasons.push({
      code: 'archived_copy',
      message: 'It is a copy of an earlier moment, not the source itself.',
    })
  return { ...result, host, confidence: rateConfidence(result, like, https), lookalike: like, reasons }
}
