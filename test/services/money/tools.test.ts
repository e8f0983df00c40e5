import { expect, test } from 'vitest'
import { compileTool } from '../../../mcp/server/compile.ts'
import money from '../../../mcp/services/money/service.ts'
import { tools } from '../../../mcp/services/money/tools.ts'

test.each(tools.map(tool => ({ tool, name: tool.name })))('$name passes the boot check', ({ tool, name }) => {
  expect(() => compileTool(`money.${name}`, tool)).not.toThrow()
  expect(tool.description).not.toMatch(/\b(ALWAYS|MUST|IMPORTANT|NEVER)\b/)
})

test('each name and each route is there once', () => {
  const names = tools.map(({ name }) => name)
  const routes = tools.flatMap(({ rest }) => rest?.routes ?? [])
  for (const list of [names, routes]) expect(new Set(list).size).toBe(list.length)
})

test('the service lists exactly 26 over MCP', () => {
  const listed = money.tools.filter(({ mcp }) => mcp !== false)
  expect(listed.map(({ name }) => name)).toEqual(tools.map(({ name }) => name))
  expect(listed).toHaveLength(26)
})
