import { z } from 'zod'
import { echo } from '../kernel/echo.ts'
import { ToolError } from '../kernel/error.ts'
import { findNearest } from '../lib/text/nearest.ts'
import { toPlainName } from '../lib/text/plain-name.ts'
import type { Entry } from './listed.ts'

/** A name in its one spelling, without what clients put before it: `mcp__octagent__data_dns-lookup` is `data_dns_lookup`. */
const plain = (name: string): string => toPlainName(name.trim().replace(/^mcp__[a-z\d-]+__/i, ''))

export const toolName = z
  .string()
  .max(100)
  .describe('Name of the tool, as find_tool tells it; data.dns-lookup and dns-lookup mean data_dns-lookup')

/** Finds an entry by any spelling of its name. Throws `not_found` with the nearest name. */
export type FindEntry = (name: string) => Entry

/**
 * Opens the look-up of tools by name: as listed, `service.tool` with any separator, or the bare name of the tool where only one
 * service has it.
 */
export const openNames = (
  entries: readonly Entry[],
  search: (question: string) => readonly Entry[],
): FindEntry => {
  const byName = new Map<string, Entry | undefined>()
  for (const entry of entries) {
    const bare = plain(entry.tool.name)
    byName.set(bare, byName.has(bare) ? undefined : entry)
  }
  for (const entry of entries) byName.set(plain(entry.listed.name), entry)
  const names = [...byName].flatMap(([name, entry]) => (entry ? [name] : []))

  const nearestTo = (name: string): Entry | undefined => {
    const nearest = findNearest(plain(name), names)
    return nearest === undefined ? search(name.replace(/[_.]/g, ' '))[0] : byName.get(nearest)
  }

  return name => {
    const entry = byName.get(plain(name))
    if (entry) return entry
    const nearest = nearestTo(name)?.listed.name
    const guess = nearest === undefined ? '' : `Did you mean ${nearest}? `
    throw new ToolError('not_found', `name: there is no tool "${echo(name)}".`, {
      issues: [{ path: 'name', message: 'there is no such tool' }],
      hint: `${guess}Use find_tool and send a name as it stands there.`,
      ...(nearest !== undefined && { params: { nearest } }),
    })
  }
}
