import { services } from '../app/services.ts'
import { countToolBytes } from '../mcp/server/boot-check.ts'
import { openChild } from './child.ts'
import { answerTo } from './load.ts'
import { mcpAsk, mcpResult } from './mcp-ask.ts'
import type { Bench, Group } from './row.ts'

const bytesPerToken = 4

const listBench = (path: string, name: string): Bench => ({
  name: `tools/list of ${name}`,
  unit: 'tokens',
  async measure() {
    const child = await openChild('octagent')
    try {
      const ask = { ...mcpAsk('2026-07-28', 'tools/list'), path }
      const { tools = [] } = mcpResult(await answerTo(String(child.ready), ask))
      const bytes = Buffer.byteLength(JSON.stringify(tools))
      const read = tools.reduce((sum, tool) => sum + countToolBytes(tool), 0)
      return {
        value: Math.round(read / bytesPerToken),
        note: `${tools.length} tools, ${bytes.toLocaleString('en')} bytes with output schemas`,
      }
    } finally {
      await child.stop()
    }
  },
})

/** What listing its tools costs a model, at four bytes per token: names, descriptions and input schemas. */
export const size: Group = {
  name: 'size',
  benches: [
    ...services.map(({ slug }) => listBench(`/${slug}/mcp`, slug)),
    listBench('/mcp', 'the bundle behind three discovery tools'),
  ],
}
