import { deepFreeze } from './compile.ts'
import type { Entry, ListedTool } from './listed.ts'

/**
 * Bytes that one `tools/list` may have with output schemas in it. Programs read those, models do not; but a v1 client compiles every
 * one before its first call: 1.6 s of processor time for the 228 kB of 29 skills, 0.3 s for 64 KiB.
 */
export const maxListBytes = 65_536

const countBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

type Part = Pick<Entry, 'listed' | 'tool'>

const withoutOutput = ({ outputSchema: _, ...definition }: ListedTool): ListedTool => definition

/**
 * The tools as `tools/list` answers them: whole up to `limit` bytes. Over it the largest output schemas are left out, whole
 * ones, so that every schema that is listed is true; all of them are resources.
 */
export const toToolList = (entries: readonly Part[], limit = maxListBytes): readonly ListedTool[] => {
  const tools = entries.map(({ listed: definition }) => definition)
  let bytes = countBytes(tools)
  const leftOut = new Set<ListedTool>()
  if (bytes <= limit) return deepFreeze(tools)
  const outputs = tools.map(tool => ({ tool, size: countBytes(tool.outputSchema) }))
  for (const { tool } of outputs.sort((a, b) => b.size - a.size)) {
    if (bytes <= limit) break
    bytes -= countBytes(tool) - countBytes(withoutOutput(tool))
    leftOut.add(tool)
  }
  return deepFreeze(tools.map(tool => (leftOut.has(tool) ? withoutOutput(tool) : tool)))
}
