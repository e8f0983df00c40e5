import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openCapabilities } from '../app/capabilities.ts'
import { services } from '../app/services.ts'
import { capability } from '../mcp/kernel/capability.ts'
import { ToolError } from '../mcp/kernel/error.ts'

const nothing = { ports: {}, own: new Map() } as never

test('each capability that is off says why, and which variables turn it on', async () => {
  const reports = await openCapabilities(nothing, services)()
  expect(reports.map(({ capability: name }) => name)).toEqual([
    'money.bridge',
    'money.gas',
    'money.vaults',
    'money.prices',
    'tasks.escrow',
    'tasks.sessions',
  ])
  const documented = readFileSync('.env.example', 'utf8')
  for (const report of reports) {
    expect(report).toMatchObject({ state: 'off', reason: expect.stringMatching(/\S.*\.$/) })
    expect(report.variables.length).toBeGreaterThan(0)
    for (const name of report.variables) expect(documented).toContain(`${name}=`)
  }
})

test('one that throws or keeps silent is off, with a sentence, and the others are told', async () => {
  const declared = (name: string, look: () => Promise<never> | { state: 'on' }) =>
    capability({ name, variables: ['X'], needs: [] }).look(look as never)
  const service = {
    slug: 'fixture',
    capabilities: [
      declared('refused', () => Promise.reject(new ToolError('unavailable', 'There is no contract.'))),
      declared('broken', () => Promise.reject(new Error('http://10.0.0.7 refused'))),
      declared('silent', () => new Promise<never>(() => undefined)),
      declared('good', () => ({ state: 'on' })),
    ],
  }
  const look = openCapabilities(nothing, [service as never])
  const reports = await look()
  expect(reports.map(({ state, reason }) => [state, reason])).toEqual([
    ['off', 'There is no contract.'],
    ['off', 'Its chain does not answer.'],
    ['off', 'Its chain does not answer.'],
    ['on', undefined],
  ])
  // What was seen holds: a probe every second asks no chain.
  expect(await look()).toBe(reports)
})
