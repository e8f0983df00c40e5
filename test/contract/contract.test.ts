// Costs: every example of every tool over every way in, through the whole program.
import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { services } from '../../app/services.ts'
import { ToolError } from '../../mcp/kernel/error.ts'
import { checkToolInput } from '../../mcp/kernel/pipeline/check.ts'
import { type AnyTool, isFree } from '../../mcp/kernel/tool.ts'
import { startApp } from '../app.ts'
import { opened } from '../opened.ts'
import { canPay } from '../payment/evm-chain.ts'
import { waysIn } from './clients.ts'
import { credentialsFor, isAnswerable, prepare } from './prepare.ts'
import { fromSomewhere } from './scenario.ts'

const app = opened(() => startApp({ TRUST_PROXY: '1' }))

const requiredFields = (tool: AnyTool): string[] =>
  Object.entries(tool.input.shape)
    .filter(([, field]) => !(field as z.ZodType).safeParse(undefined).success)
    .map(([name]) => name)

const rows = services.flatMap(service =>
  service.tools.flatMap(tool =>
    Object.keys(waysIn('', service, tool)).map(way => ({
      service,
      tool,
      way,
      id: `${service.slug}.${tool.name} by ${way}`,
    })),
  ),
)

/** Fields of money whose text is no decimal with at least two digits after the point. */
const findMoneyFaults = (value: unknown, path = ''): string[] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.entries(value).flatMap(([name, inner]) =>
        typeof inner === 'string' && /(?:^|_)usd$/.test(name) && !/^-?\d+\.\d{2,}$/.test(inner)
          ? [`${path}.${name}: ${inner}`]
          : findMoneyFaults(inner, `${path}.${name}`),
      )

/** Of each service and kind of way, the first tool with a field that must be there is refused over the wire. */
const wired = new Set([
  ...new Map(
    rows
      .filter(({ tool }) => requiredFields(tool).length > 0)
      .reverse()
      .map(row => [
        `${row.service.slug} ${/^(mcp|a2a)/.test(row.way) ? row.way : row.way.split(' ')[0]}`,
        row.id,
      ]),
  ).values(),
])

describe.each(rows)('$id', ({ service, tool, way }) => {
  const ask = (input: Record<string, unknown>, headers: Record<string, string> = {}) => {
    const way_ = waysIn(app.url, service, tool, { ...fromSomewhere(), ...headers })[way]
    if (!way_) throw new Error(`no way ${way}`)
    return way_(input)
  }

  // What is paid on terms of its own is asked for by its service's tests.
  const isListed = !isFree(tool.price) && tool.price.terms === undefined
  const isPaid = isListed && !tool.free && tool.price.unit !== 'credit'
  // A tip can only be claimed after one was sent.
  const isLost = tool.needs.includes('transfers') && !canPay

  if (isPaid && canPay && isAnswerable(service, tool, way))
    test('asks for payment before it works', async () => {
      const headers = await credentialsFor(app, service, tool)
      expect(await ask(tool.examples[0], headers)).toEqual({ problem: { code: 'payment_required' } })
    })

  if (isPaid && !isAnswerable(service, tool, way))
    test('is refused in words, and charges nothing', async () => {
      const answer = await ask(tool.examples[0], await credentialsFor(app, service, tool))
      expect(answer).toHaveProperty('problem.code')
      expect(answer).not.toMatchObject({ problem: { charged: true } })
    })

  const examples: readonly Record<string, unknown>[] =
    isPaid || isLost || !isAnswerable(service, tool, way) ? [] : tool.examples
  test.each(examples.map((input, n) => ({ n, input })))(
    'answers example $n within its schema',
    async ({ input }) => {
      const prepared = await prepare(app, service, tool, input)
      const answer = await ask(prepared.input, prepared.headers)
      expect(answer).not.toHaveProperty('problem')
      if (!('output' in answer)) return
      expect(tool.output.strict().safeParse(answer.output).error).toBeUndefined()
      expect(findMoneyFaults(answer.output)).toEqual([])
    },
  )

  // What nobody else asks by this way is at least refused there by name.
  const isAsked = (isPaid && (canPay || !isAnswerable(service, tool, way))) || examples.length > 0
  const isWired = wired.has(`${service.slug}.${tool.name} by ${way}`)
  if (isAsked && !isWired) return

  test('names a field that does not exist', async () => {
    const headers = await credentialsFor(app, service, tool)
    const answer = await ask({ ...tool.examples[0], nonsense_field: 1 }, headers)
    expect(answer).toMatchObject({
      problem: { code: 'invalid_input', issues: [{ path: 'nonsense_field' }] },
    })
  })

  const missed = requiredFields(tool)
  test.each(isWired ? missed : missed.slice(0, 1))('names %s when it is missing', async name => {
    const { [name]: _, ...input } = tool.examples[0] as Record<string, unknown>
    if (way.includes(`:${name}`)) return
    const answer = await ask(input, await credentialsFor(app, service, tool))
    expect(answer).toMatchObject({ problem: { code: 'invalid_input', issues: [{ path: name }] } })
  })
})

/** The refusals themselves are the schema's, whatever the way: each tool's are checked here without one. */
describe.each(
  services.flatMap(service => service.tools.map(tool => ({ tool, id: `${service.slug}.${tool.name}` }))),
)('$id refuses by field', ({ tool }) => {
  const refusal = (input: Record<string, unknown>) => {
    try {
      checkToolInput(tool, input)
    } catch (error) {
      return error instanceof ToolError ? error.toProblem() : error
    }
  }

  test('what is unknown, and what is missing', () => {
    expect(refusal({ ...tool.examples[0], nonsense_field: 1 })).toMatchObject({
      code: 'invalid_input',
      issues: [{ path: 'nonsense_field' }],
    })
    for (const name of requiredFields(tool)) {
      const { [name]: _, ...input } = tool.examples[0] as Record<string, unknown>
      expect(refusal(input), name).toMatchObject({ code: 'invalid_input', issues: [{ path: name }] })
    }
  })
})

test('the same question has the same answer on every way in', async () => {
  const cat = services.find(({ slug }) => slug === 'cat')
  const pet = cat?.tools.find(({ name }) => name === 'guestbook')
  if (!cat || !pet) throw new Error('the cat is gone')
  const answers = await Promise.all(Object.values(waysIn(app.url, cat, pet)).map(ask => ask({ limit: 1 })))
  for (const answer of answers) expect(answer).toEqual(answers[0])
})
