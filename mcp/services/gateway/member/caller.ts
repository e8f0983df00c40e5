import type { Identify } from '../../../kernel/service.ts'
import { keyPrefix, membersIn } from './member.ts'

/** Tells whose agent key a Bearer credential is. */
export const identifyMember: Identify = async ({ store, keys }, { value }) => {
  if (!value.startsWith(`${keyPrefix}_`)) return undefined
  const where = { key_hash: keys.hash(value) }
  const { rows } = await membersIn(store).find({ index: 'key', where, limit: 1 })
  return rows[0] && { id: rows[0].id, via: 'bearer' }
}
