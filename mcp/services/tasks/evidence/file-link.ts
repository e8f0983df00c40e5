import { timingSafeEqual } from 'node:crypto'
import { ToolError } from '../../../kernel/error.ts'
import type { Keys } from '../../../ports/keys/port.ts'

type Purpose = 'upload' | 'download'

const sign = (keys: Keys, purpose: Purpose, id: string, until: number): string =>
  keys.hash(`tasks.evidence ${purpose} ${id} ${until}`)

/** Signs a link token that lets whoever has it send, or fetch, one file until a time. */
export const signLink = (keys: Keys, purpose: Purpose, id: string, until: Date): string => {
  const seconds = Math.floor(until.getTime() / 1000)
  return `${id}.${seconds}.${sign(keys, purpose, id, seconds)}`
}

/** The file that a link is for. Throws `forbidden` for one that was not made here, and `gone` for one that is over. */
export const requireFileLink = (keys: Keys, purpose: Purpose, token: string, now: Date): string => {
  const [id = '', until = '', proof = ''] = token.split('.')
  const expected = Buffer.from(sign(keys, purpose, id, Number(until)))
  const actual = Buffer.from(proof)
  if (!/^\d{10}$/.test(until) || actual.length !== expected.length || !timingSafeEqual(actual, expected))
    throw new ToolError('forbidden', 'This address was not made here.', { reason: 'bad_link' })
  if (Number(until) * 1000 >= now.getTime()) return id
  throw new ToolError('gone', 'The time of this address is over.', {
    reason: 'link_expired',
    hint: 'Ask for another one.',
  })
}
