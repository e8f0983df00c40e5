import { randomInt } from 'node:crypto'
import { send } from '../wire.ts'

/** Signs from 16 lanes until the server does not answer well any more; gives the names that were acknowledged. */
export const signUntilItEnds = async (url: string, prefix: string) => {
  const signatures: string[] = []
  const refusals: Record<string, number> = {}
  let at = 0
  const lane = async () => {
    for (;;) {
      const name = `${prefix}-${at++}`
      const body = Buffer.from(JSON.stringify({ name, note: 'x'.repeat(100) }))
      const headers = {
        'content-type': 'application/json',
        'x-forwarded-for': `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`,
      }
      const { status } = await send(url, { method: 'POST', path: '/cat/api/sign', headers, body })
      if (status === 200) signatures.push(name)
      else refusals[status] = (refusals[status] ?? 0) + 1
      if (status === 0 || status >= 500) return
    }
  }
  await Promise.all(Array.from({ length: 16 }, lane))
  return { signatures, refusals }
}

type Page = { signatures: { name: string }[]; next: string | null }

/** Every name in the guest book. */
export const readNames = async (url: string): Promise<Set<string>> => {
  const names = new Set<string>()
  for (let next: string | null | undefined = ''; next !== null && next !== undefined; ) {
    const after = next === '' ? '' : `&after=${encodeURIComponent(next)}`
    const headers = { 'x-forwarded-for': `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}` }
    const path = `/cat/api/guestbook?limit=100${after}`
    const { status, text } = await send(url, { method: 'GET', path, headers, body: undefined })
    if (status !== 200) throw new Error(`the guest book answered ${status}: ${text.slice(0, 300)}`)
    const page = JSON.parse(text) as Page
    for (const { name } of page.signatures) names.add(name)
    next = page.next
  }
  return names
}
