import { setTimeout as sleep } from 'node:timers/promises'
import { clean } from '../../../lib/text/clean.ts'
import type { Clock } from '../../../ports/clock/port.ts'
import type { Dns } from '../../../ports/dns/port.ts'
import type { Fetched } from '../../../ports/fetch/port.ts'
import { isUnknownHost } from './failure.ts'
import { type Traveller, type Trip, travel } from './follow-redirects.ts'
import { again } from './retry.ts'
import { toLinkVerdict } from './to-verdict.ts'
import type { LinkVerdict } from './verdict.ts'

const paths =
  /\/(?:errors?\/?)?(?:error-?)?404(?:\.\w{2,5}|\/)?$|\/(?:page-?)?not-?found(?:\.\w{2,5}|\/)?$|\/error(?:-?page)?(?:\.\w{2,5}|\/)?$/i

const titles =
  /\b404\b|\b(?:page|content|file|article|product)\s(?:was\s|is\s|could\s|can(?:not|'t)\s)?(?:not\s)?(?:be\s)?(?:not\s)?found\b|\bnot found\b|\b(?:no longer|not) (?:available|exists?)\b|\bdoes(?:n't| not) exist\b|\bpage introuvable\b|\bniet gevonden\b|\bnicht gefunden\b|\bno encontrada\b|\bnon trovata\b|\bnão encontrada\b/i

/** Paths that a site may well send to its root. */
const homes = /^\/(?:(?:index|home|default|start|main)(?:\.\w{2,5})?\/?)?$/i

/** The title in the first part of a page, without reading all of it. */
const titleIn = (answer: Fetched): string | null => {
  if (!/html/i.test(answer.headers['content-type'] ?? '')) return null
  const head = answer.body.subarray(0, 65_536).toString('utf8')
  return clean(/<title[^>]{0,200}>([^<]{1,300})/i.exec(head)?.[1])
}

/** Why a page that answers may still be the one for "not found"; null when nothing hints at it. */
const soft404 = (requestedUrl: string, answer: Fetched): string | null => {
  const from = new URL(requestedUrl)
  const to = new URL(answer.url)
  const isRoot = to.pathname === '/' && to.search === ''
  if (!homes.test(from.pathname) && isRoot && from.hostname === to.hostname)
    return 'It redirects to the home page.'
  if (paths.test(to.pathname) && !paths.test(from.pathname)) return 'It redirects to an error page.'
  const title = titleIn(answer)
  return title !== null && titles.test(title) ? `Its title is "${title}".` : null
}

export type Checker = Traveller & { dns: Dns; clock: Clock }

/** One address, checked. */
export type LinkResult = LinkVerdict & {
  final_url: string | null
  /** Status of every answer on the way, the first of them first. */
  statuses: number[]
  /** Why it may be a page for "not found" all the same. */
  soft404: string | null
  /** The page, where it was asked for with GET. */
  page: Fetched | null
}

const head = { method: 'HEAD', maxBytes: 1024, deadlineMs: 5000 } as const
const get = { method: 'GET', maxBytes: 65_536, deadlineMs: 8000 } as const
const whole = { method: 'GET', maxBytes: 2 * 1024 * 1024, deadlineMs: 8000 } as const

/** A refused answer to HEAD stands when GET brings none. */
const better = (first: LinkVerdict, second: LinkVerdict): LinkVerdict =>
  (second.state === 'late' || second.state === 'unknown') && first.state === 'blocked' ? first : second

/** Verdict by HEAD alone: enough for everything but to call an address broken. */
const toUnconfirmed = (first: LinkVerdict): LinkVerdict =>
  first.state === 'broken'
    ? {
        ...first,
        state: 'late',
        reason: 'not_confirmed',
        error: 'The time was up before it was asked again.',
      }
    : first

const judge = async ({ dns, signal }: Checker, trip: Trip): Promise<LinkVerdict> => {
  const verdict = toLinkVerdict(trip)
  if (trip.end !== 'failure' || verdict.reason !== 'connection') return verdict
  const { hostname } = new URL(trip.url)
  const isUnknown = await isUnknownHost(dns, hostname, signal)
  const sentence = `There is no host ${hostname} in the DNS.`
  return isUnknown ? { ...verdict, state: 'broken', reason: 'no_such_host', error: sentence } : verdict
}

const toResult = (verdict: LinkVerdict, url: string, trip: Trip, isGet: boolean): LinkResult => {
  const answer = trip.end === 'answer' ? trip.answer : null
  return {
    ...verdict,
    final_url: trip.statuses.length > 0 ? trip.url : null,
    statuses: trip.statuses,
    soft404: answer && verdict.state === 'ok' ? soft404(url, answer) : null,
    page: answer && isGet ? answer : null,
  }
}

/** Checks one address: HEAD first, and GET where HEAD does not settle it or the page itself is wanted. Never throws. */
export const checkAddress = async (
  checker: Checker,
  url: string,
  wantsPage: boolean,
): Promise<LinkResult> => {
  const { pace, signal, clock } = checker
  const first = await travel(checker, url, wantsPage ? whole : head)
  const verdict = await judge(checker, first)
  const next = again(first, clock)
  const { hostname } = new URL(first.url)
  const isSettled = 'never' in next || verdict.reason === 'no_such_host'
  if ('never' in next && next.closeHost) pace.close(hostname)
  if (isSettled) return toResult(verdict, url, first, wantsPage)
  if (next.pauseHost) pace.pause(hostname, next.afterMs)
  else if (next.afterMs > 0) await sleep(next.afterMs, undefined, { signal }).catch(() => undefined)
  const second = await travel(checker, url, wantsPage ? whole : get)
  const last = await judge(checker, second)
  if (last.reason === 'rate_limit') pace.close(new URL(second.url).hostname)
  if (second.end === 'no_time') return toResult(toUnconfirmed(verdict), url, first, wantsPage)
  if (last.reason === 'target_limit')
    return toResult(verdict.state === 'broken' ? last : verdict, url, first, wantsPage)
  return toResult(better(verdict, last), url, second, true)
}
