import { type Child, openChild } from './child.ts'
import { contestBetween } from './compare.ts'
import { input, sessionId, toolNames } from './fixture.ts'
import { type Ask, answerTo } from './load.ts'
import { type EraName, mcpAsk, mcpResult } from './mcp-ask.ts'
import type { Bench, Group } from './row.ts'

const peers = {
  '2025-11-25': { file: 'mcp-2025', against: 'McpServer of sdk 1.32.2 per request' },
  '2026-07-28': { file: 'mcp-2026', against: 'McpServer of server 2.4.0 per request' },
} as const

const opening = (era: EraName, tools: number) =>
  [openChild('octagent', [String(tools)]), openChild(peers[era].file, [String(tools)])] as const

const callAsk = (era: EraName): Ask => {
  const name = toolNames(26)[12] ?? ''
  return mcpAsk(era, 'tools/call', { name, arguments: input }, name)
}

const toEssence = (body: string): unknown => {
  const { content, structuredContent } = mcpResult(body)
  return { content, structuredContent }
}

const toNames = (body: string): unknown => mcpResult(body).tools?.map(({ name }) => name)

/** A server with a session whose handshake is done. */
const openSession = async (tools: number): Promise<Child> => {
  const child = await openChild('mcp-2025-session', [String(tools)])
  const clientInfo = { name: 'bench', version: '1' }
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
  await answerTo(String(child.ready), mcpAsk('2025-11-25', 'initialize', params))
  return child
}

const withSession = (ask: Ask): Ask => ({ ...ask, headers: { ...ask.headers, 'mcp-session-id': sessionId } })

const inSession = 'McpServer of sdk 1.32.2 in a long session'

const callBench = (era: EraName): Bench => ({
  name: `MCP tools/call, 26 tools, ${era}`,
  unit: 'x',
  against: peers[era].against,
  aim: { atLeast: 3 },
  measure: () => {
    const ask = callAsk(era)
    return contestBetween(opening(era, 26), [ask, ask], toEssence)
  },
})

/** Sessions are of the older era only. */
const sessionCall: Bench = {
  name: 'MCP tools/call, 26 tools, 2025-11-25, one client for long',
  unit: 'x',
  against: inSession,
  aim: { atLeast: 1.5 },
  measure: () => {
    const ask = callAsk('2025-11-25')
    return contestBetween(
      [openChild('octagent', ['26']), openSession(26)],
      [ask, withSession(ask)],
      toEssence,
    )
  },
}

const sessionList: Bench = {
  name: 'MCP tools/list, 100 tools, 2025-11-25, one client for long',
  unit: 'x',
  against: inSession,
  aim: { atLeast: 10 },
  measure: () => {
    const ask = mcpAsk('2025-11-25', 'tools/list')
    return contestBetween(
      [openChild('octagent', ['100']), openSession(100)],
      [ask, withSession(ask)],
      toNames,
    )
  },
}

const listBench = (era: EraName): Bench => ({
  name: `MCP tools/list, 100 tools, ${era}`,
  unit: 'x',
  against: peers[era].against,
  aim: { atLeast: 20 },
  measure: () => {
    const ask = mcpAsk(era, 'tools/list')
    return contestBetween(opening(era, 100), [ask, ask], toNames)
  },
})

/** Each protocol era against McpServer of the SDK that we use for it, with the same tools. */
export const mcp: Group = {
  name: 'mcp',
  benches: [
    callBench('2025-11-25'),
    callBench('2026-07-28'),
    sessionCall,
    listBench('2025-11-25'),
    listBench('2026-07-28'),
    sessionList,
  ],
}
