import { createHash } from 'node:crypto'

/** Texts that are asked this often are worth a plan that the server keeps. */
const minUses = 5
const maxTexts = 2000
const maxNames = 300

/**
 * Names for statements that come again and again, so that a connection has the server parse and plan them once. Others have none:
 * a name lives as long as its connection.
 */
export const openStatementNames = (): ((sql: string) => string | undefined) => {
  const uses = new Map<string, number>()
  const names = new Map<string, string>()
  return sql => {
    const name = names.get(sql)
    if (name !== undefined || names.size >= maxNames) return name
    const count = (uses.get(sql) ?? 0) + 1
    uses.delete(sql)
    if (count < minUses) {
      uses.set(sql, count)
      const [oldest] = uses.keys()
      if (uses.size > maxTexts && oldest !== undefined) uses.delete(oldest)
      return undefined
    }
    const fresh = `octagent_${createHash('sha256').update(sql).digest('hex').slice(0, 24)}`
    names.set(sql, fresh)
    return fresh
  }
}
