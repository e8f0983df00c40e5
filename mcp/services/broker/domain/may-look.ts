import { ToolError } from '../../../kernel/error.ts'
import type { Store } from '../../../ports/store/port.ts'

/** Looks at one domain in a minute, whoever asks: nobody is to be reached through many accounts. */
const looks = 20
const windowMs = 60_000

/** Takes one look at a domain. Throws 429 when they are used up, on whichever replica. */
export const takeLook = async (store: Store, domain: string, now: Date): Promise<void> => {
  const until = new Date(now.getTime() + windowMs)
  for (let nth = 0; nth < looks; nth++) if (await store.claim(`broker look ${domain} ${nth}`, until)) return
  throw new ToolError('too_many_requests', `${domain} was looked at ${looks} times within a minute.`, {
    retryAfter: windowMs / 1000,
  })
}
