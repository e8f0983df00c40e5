import { expect, test } from 'vitest'
import { services } from '../../app/services.ts'
import { openListedTools, readCosts } from '../../connect/listed-tools.ts'
import { parseUsd } from '../../mcp/lib/usd.ts'

test.each<[string, string | undefined]>([
  ['Feeds the cat. Costs 0.10 USDC on Base, settled first.', '0.10'],
  ['Rehearses. Costs 0.10 test USDC, settled first.', '0.10'],
  ['Weather. It costs $0.001 per call.', '0.001'],
  ['Costs $2.', '2'],
  ['Answers. Costs 3 (quick), 10 (standard) or 50 (research) USDC on Base.', '50'],
  ['Costs between 0.01 and 0.25 USD a call.', '0.25'],
  ['Costs 0.001 USDC per token.', undefined],
  ['Costs 0.01 USDC a second.', undefined],
  ['Costs from 0.03 USDC.', undefined],
  ['Costs at least 1 USD.', undefined],
  ['Costs the number of inputs times the price of the skill; free over A2A and MCP.', undefined],
  ['Costs 5 points.', undefined],
  ['Free. Returns what things cost.', undefined],
  ['What it costs depends. See 0.10 USDC.', undefined],
])('%s', (description, price) => {
  expect(readCosts(description)).toBe(price === undefined ? undefined : parseUsd(price))
})

test('no tool of ours is listed for less than it asks', () => {
  const priced = services.flatMap(({ slug, tools }) =>
    tools.flatMap(({ name, description, price }) =>
      typeof price === 'object' && price.unit === 'usd'
        ? [{ tool: `${slug}.${name}`, description, usd: price.amount }]
        : [],
    ),
  )
  expect(priced.length).toBeGreaterThan(20)
  for (const { tool, description, usd } of priced) {
    const listed = readCosts(description)
    if (listed !== undefined) expect(listed >= (parseUsd(usd) ?? 0n), tool).toBe(true)
  }
})

test('a hostile description costs no time', () => {
  const tools = openListedTools()
  for (const text of [
    `costs ${'1'.repeat(2_000_000)}`,
    'costs 1 '.repeat(200_000),
    `costs ${'1.'.repeat(500_000)}x`,
  ])
    tools.read({ jsonrpc: '2.0', result: { tools: [{ name: 'x', description: text }] } })
  expect(tools.price('x')).toBeUndefined()
})
