import { openChild } from './child.ts'
import { contestBetween } from './compare.ts'
import { input, toolNames } from './fixture.ts'
import { type EraName, mcpAsk, mcpResult } from './mcp-ask.ts'
import type { Bench, Group } from './row.ts'

const peers = {
  '2025-11-25': { file: 'mcp-2025', against: 'McpServer of sdk 1.32.2 per request' },
  '2026-07-28': { file: 'mcp-2026', against: 'McpServer of server 2.4.0 per request' },
} as const

const opening = (era: EraName, tools: number) =>
  [openChild('octagent', [String(tools)]), openChild(peers[era].file, [String(tools)])] as const

const callBench = (era: EraName): Bench => ({
  name: `MCP tools/call, 26 tools, ${era}`,
  unit: 'x',
  against: peers[era].against,
  aim: { atLeast: 1.5 },
  measure: () => {
    const name = toolNames(26)[12] ?? ''
    const ask = mcpAsk(era, 'tools/call', { name, arguments: input }, name)
    return contestBetween(opening(era, 26), [ask, ask], body => {
      const { content, structuredContent } = mcpResult(body)
      return { content, structuredContent }
    })
  },
})

const listBench = (era: EraName): Bench => ({
  name: `MCP tools/list, 100 tools, ${era}`,
  unit: 'x',
  against: peers[era].against,
  aim: { atLeast: 10 },
  measure: () => {
    const ask = mcpAsk(era, 'tools/list')
    return contestBetween(opening(era, 100), [ask, ask], body =>
      mcpResult(body).tools?.map(({ name }) => name),
    )
  },
})

/** Each protocol era against McpServer of the SDK that we use for it, with the same tools. */
export const mcp: Group = {
  name: 'mcp',
  benches: [
    callBench('2025-11-25'),
    callBench('2026-07-28'),
    listBench('2025-11-25'),
    listBench('2026-07-28'),
  ],
}
