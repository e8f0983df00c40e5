import * as z from 'zod'
import { factTable, words } from '../../../lib/facts.ts'

/** Mailbox names that stand for a task, not for a person. */
const roleNames = factTable(
  new URL('./data/roles.json', import.meta.url),
  z.record(z.string(), words).transform(roles => new Set(Object.values(roles).flat())),
)

/** The role that a mailbox name stands for, without its `+tag`; null for a person's. */
export const findRole = (local: string): string | null => {
  const name = local.toLowerCase().replace(/(?<=.)\+.*$/s, '')
  return roleNames().has(name) ? name : null
}
