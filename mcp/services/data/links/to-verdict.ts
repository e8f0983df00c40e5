import type { Fetched } from '../../../ports/fetch/port.ts'
import { toFailureVerdict } from './failure.ts'
import type { Trip } from './follow-redirects.ts'
import type { BrokenReason, LinkVerdict } from './verdict.ts'

const walls = new Set([401, 402, 403, 406, 407, 418, 420, 429, 430, 451, 999])

/** Answers about the connection or the moment, which another client would not get. */
const transientStatuses = new Set([408, 421, 425, 426])

const reasonOfWall = (status: number): string => {
  if (status === 401 || status === 407) return 'login'
  if (status === 402) return 'payment'
  if (status === 429 || status === 420 || status === 430) return 'rate_limit'
  return status === 451 ? 'legal' : 'forbidden'
}

/** The site answers with a check for robots. */
export const isWall = ({ headers }: Pick<Fetched, 'headers'>): boolean =>
  headers['cf-mitigated'] !== undefined || headers['x-amzn-waf-action'] !== undefined

const brokenReason = (status: number): readonly [reason: BrokenReason, error: string] => {
  if (status === 404) return ['not_found', 'There is no such page.']
  if (status === 410) return ['gone', 'The page is gone for good.']
  if (status >= 500) return ['server_error', 'The server fails, also when it is asked again.']
  return ['client_error', 'The server does not accept the address.']
}

const judgeAnswer = (answer: Fetched): LinkVerdict => {
  const { status } = answer
  if (isWall(answer))
    return { state: 'blocked', status, reason: 'robot_check', error: 'The site checks for robots.' }
  if (walls.has(status))
    return { state: 'blocked', status, reason: reasonOfWall(status), error: 'The site turns programs away.' }
  if (status < 400) return { state: 'ok', status, reason: null, error: null }
  if (transientStatuses.has(status))
    return { state: 'unknown', status, reason: 'passing', error: 'The answer is about this request only.' }
  if (status === 503 && answer.headers['retry-after'] !== undefined)
    return { state: 'unknown', status, reason: 'maintenance', error: 'The server asks to come back later.' }
  const [reason, error] = brokenReason(status)
  return { state: 'broken', status, reason, error }
}

const needsCookies = 'It redirects in a circle and sets cookies, which are not sent back.'

/** Judges the address that a trip began with by its end. */
export const toLinkVerdict = (trip: Trip): LinkVerdict => {
  const status = trip.statuses.at(-1) ?? null
  switch (trip.end) {
    case 'answer':
      return judgeAnswer(trip.answer)
    case 'failure':
      return { ...toFailureVerdict(trip.thrown), status }
    case 'app':
      return { state: 'skipped', status, reason: 'other_scheme', error: 'It redirects to an application.' }
    case 'nowhere':
      return { state: 'broken', status, reason: 'redirect_nowhere', error: 'It redirects to nowhere.' }
    case 'closed':
      return { state: 'blocked', status, reason: 'host_limits', error: 'The host asked to be left alone.' }
    case 'no_time':
      return { state: 'late', status, reason: 'not_reached', error: 'The time was up before it was asked.' }
    default:
      if (trip.cookies) return { state: 'unknown', status, reason: 'needs_cookies', error: needsCookies }
      return { state: 'broken', status, reason: 'redirect_loop', error: 'Its redirects do not end.' }
  }
}
