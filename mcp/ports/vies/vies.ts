import { setTimeout as sleep } from 'node:timers/promises'
import type { Fetch } from '../fetch/port.ts'
import { passesSoon, readViesAnswer, requesterFailure, viesFailure } from './answer.ts'
import type { Vies } from './port.ts'

export type ViesSettings = {
  fetch: Fetch
  /** Base of the REST API, without a slash at its end. */
  url: string
  /** Milliseconds before the second question when too many ask at once. Default 800. */
  waitMs?: number
}

/** Asks the EU's VAT Information Exchange System over REST, twice when it is only busy. */
export const openVies = ({ fetch, url, waitMs = 800 }: ViesSettings): Vies => ({
  async check(country, number, { signal, requester } = {}) {
    const address = requester
      ? `${url}/check-vat-number`
      : `${url}/ms/${country}/vat/${encodeURIComponent(number)}`
    const question = requester && {
      countryCode: country,
      vatNumber: number,
      requesterMemberStateCode: requester.country,
      requesterNumber: requester.number,
    }
    const ask = async () => {
      const fetched = await fetch(address, {
        ...(question && {
          method: 'POST' as const,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(question),
        }),
        accept: 'application/json',
        maxBytes: 65_536,
        fresh: true,
        namedBy: 'operator',
        ...(signal && { signal }),
      })
      return readViesAnswer(fetched.text().text)
    }
    let answer = await ask()
    if ('failure' in answer && passesSoon(answer.failure)) {
      await sleep(waitMs, undefined, signal && { signal }).catch(() => {})
      answer = await ask()
    }
    if ('failure' in answer) throw (requester ? requesterFailure : viesFailure)(answer.failure)
    return { ...answer, source: address }
  },
  forCall: turn => openVies({ fetch: fetch.forCall?.(turn) ?? fetch, url, waitMs }),
})
