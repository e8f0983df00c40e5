import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { services } from '../../app/services.ts'
import { call, type Incoming } from '../../mcp/kernel/call.ts'
import { ToolError } from '../../mcp/kernel/error.ts'
import { hasDays } from '../../mcp/kernel/pipeline/daily.ts'
import { identify, type Service } from '../../mcp/kernel/service.ts'
import { type AnyTool, type Auth, type Caller, free, isFree, isPriced, usd } from '../../mcp/kernel/tool.ts'
import { proofSettings } from '../../mcp/services/proof/config.ts'
import { network, openPaid, type Paid, signFor } from '../payment/gate-fixture.ts'
import { incoming } from './fixture.ts'

let paid: Paid
let payment: unknown
beforeAll(async () => {
  paid = await openPaid()
  payment = await signFor(paid, paid.feed)
})
afterAll(() => paid.stop())

const channels = ['rest', 'mcp', 'a2a'] as const
const people = ['nobody', 'free key', 'prepaid key', 'signed-in person', 'payer'] as const
type Person = (typeof people)[number]

const all = services.flatMap(service => service.tools.map(tool => ({ service, tool })))
const sold = all.filter(({ tool }) => isPriced(tool) || hasDays(tool) || tool.check)

const toCaller = (person: Person, { prepaid }: Service, via: Auth): Caller | undefined => {
  if (person === 'nobody' || person === 'payer') return undefined
  const balance = { account: 'user:ada' as const, unit: prepaid?.unit ?? ('USDC' as const) }
  if (person === 'free key') return { id: 'ada', via }
  return { id: 'ada', via, balance: person === 'prepaid key' ? balance : { ...balance, spender: 'client' } }
}

let clients = 0

/** What a call comes to; a tool that takes no strangers has a caller, whoever asks. */
const ask = async (service: Service, tool: AnyTool, person: Person, more: Partial<Incoming>) => {
  const auth = tool.auth ?? service.auth
  const via = auth.find(each => each !== 'public') ?? 'bearer'
  const known = toCaller(person, service, via)
  const caller = known ?? (auth.includes('public') ? undefined : { id: 'bob', via })
  const holder = {
    ...service,
    auth: [...auth, via],
    identify: { [via]: identify({ needs: [] }).run(async () => caller) },
  } as Service
  const own = new Map<never, unknown>([[proofSettings.enterpriseCallers as never, []]])
  const world = { ...paid.world, own }
  const served = {
    ...tool,
    ...(tool.auth && { auth: [...auth, via] }),
    // All ask for the same, which limits by the minute would take for a crowd.
    limits: (tool.limits ?? []).filter(limit => 'perDay' in limit),
    // What is not here is not needed by a refusal.
    needs: tool.needs.filter(need =>
      typeof need === 'string' ? need in world.ports : own.has(need as never),
    ),
  }
  clients++
  const request = incoming({
    client: `10.0.${clients >> 8}.${clients & 255}`,
    credentials: caller ? { [via]: `key-${clients}` } : {},
    ...(person === 'payer' && { evidence: { headers: {}, meta: { 'x402/payment': payment } } }),
    ...more,
  })
  try {
    await call(world, holder, served, request)
    return 'answered'
  } catch (cause) {
    if (!(cause instanceof ToolError)) throw cause
    return `${cause.code}: ${cause.message}`
  }
}

/** What five callers get on three transports, each once. */
const answers = async (service: Service, tool: AnyTool, more: Partial<Incoming>) => {
  const met = new Set<string>()
  for (const person of people)
    for (const channel of channels) met.add(await ask(service, tool, person, { channel, ...more }))
  return [...met]
}

const full = () => {
  throw new ToolError('conflict', 'No room.')
}

test('whoever asks for what cannot be served, whichever way, is refused alike and for no price', async () => {
  expect(sold.length).toBeGreaterThan(75)
  for (const { service, tool } of sold) {
    const met = await answers(service, { ...tool, check: full }, { input: tool.examples[0] })
    expect(met, `${service.slug}.${tool.name}`).toEqual(['conflict: No room.'])
  }
})

/** Calls that a schema takes, and that were priced or run for nothing. */
const refusals: readonly (readonly [slug: string, name: string, input: object, answer: RegExp])[] = [
  ['proof', 'execute', { code: 'print(3)', tier: 3 }, /^forbidden: tier/],
  ['proof', 'browse', { url: 'https://example.com/', tier: 3 }, /^forbidden: tier/],
  [
    'proof',
    'message_post',
    { content: 'Hello', reply_to: 'f'.repeat(32) },
    /^(not_found|invalid_input): reply_to/,
  ],
  ['proof', 'prove', { action_id: 'nobody-did-this' }, /^not_found: action_id/],
  ['proof', 'validate', { returns: [0.01] }, /^invalid_input: returns/],
  ['proof', 'validate', { returns: Array(12).fill(0.01) }, /^invalid_input: returns/],
  ['proof', 'decision', { criterion: 'growth', question: 'Go?' }, /^invalid_input: bankroll/],
  [
    'proof',
    'decision',
    { options: [{ name: 'go', outcomes: [{ p: 1, value: 1 }] }] },
    /^invalid_input: options/,
  ],
  [
    'proof',
    'reason',
    { question: 'Why?', response_format: { type: 'nonsense' } },
    /^invalid_input: response_format/,
  ],
  ['broker', 'add_credits', { usd: '7.00' }, /^invalid_input: usd/],
  ['broker', 'add_credits', { usd: 5 }, /^invalid_input: usd/],
  ['broker', 'browse_feed', { category: 'nonsense' }, /^invalid_input: category/],
  ['broker', 'get_listing', { listing_id: 'lst_0' }, /^not_found/],
  ['money', 'price_to_beat', { asset: 'doge', window: '5m' }, /^invalid_input: asset/],
  ['money', 'price_to_beat', { asset: 'btc', window: '5m', start: 'abc' }, /^invalid_input: start/],
  ['tasks', 'deposit_funds', { amount_usd: '-1' }, /^invalid_input: amount_usd/],
  ['forecast', 'consult', { question: '' }, /^invalid_input: question/],
  [
    'forecast',
    'consult',
    { question: 'Will it rain in Rome on 1 May 2036?', tier: 'ultra' },
    /^invalid_input: tier/,
  ],
  ['data', 'batch', { run: 'nonsense', inputs: ['a'] }, /^invalid_input: run/],
  ['data', 'dns-lookup', { domain: 'example.com', fields: 'nonsense' }, /^invalid_input: fields/],
]

test.each(refusals)('%s.%s of %o is refused to everybody', async (slug, name, input, answer) => {
  const row = all.find(({ service, tool }) => service.slug === slug && tool.name === name)
  if (!row) throw new Error(`no tool ${slug}.${name}`)
  const met = await answers(row.service, row.tool, { input })
  expect(met).toHaveLength(1)
  expect(met[0]).toMatch(answer)
})

const wrong = [7, 'x'.repeat(300_000), { nonsense: true }, [[]], true]

test('nothing that a schema refuses has a price, whoever sends it', async () => {
  let count = 0
  for (const { service, tool } of all) {
    const example = tool.examples[0] as Record<string, unknown>
    const inputs = [
      { nonsense: 1 },
      ...Object.keys(tool.input.shape).flatMap(name => wrong.map(value => ({ ...example, [name]: value }))),
    ]
    for (const input of inputs) {
      if (tool.input.safeParse(input).success) continue
      count++
      for (const person of ['nobody', 'free key'] as const)
        expect(await ask(service, tool, person, { input, channel: 'rest' })).toMatch(/^invalid_input: /)
    }
  }
  expect(count).toBeGreaterThan(1500)
})

test('an empty request for what needs input is told the list price, over HTTP alone', async () => {
  for (const { service, tool } of sold) {
    if (
      isFree(tool.price) ||
      tool.price.unit === 'credit' ||
      tool.price.terms ||
      tool.input.safeParse({}).success
    )
      continue
    const met = await Promise.all(
      channels.map(channel =>
        ask(service, { ...tool, price: usd(tool.price.amount, network) }, 'nobody', { channel, input: {} }),
      ),
    )
    expect(met[0]).toMatch(/^payment_required/)
    for (const answer of met.slice(1)) expect(answer).toMatch(/^invalid_input/)
  }
})

/** What a run throws for the caller's account, or for the state of what a call names: a check can know it. */
const stateCodes = ['unauthenticated', 'forbidden', 'not_found', 'conflict', 'gone', 'invalid_input']

test('what a tool sells or counts by the day finds no refusal in its run that its check could know', async () => {
  const late: string[] = []
  for (const { service, tool } of sold) {
    // What is paid from credits, or kept for the wallet that pays, has its account with the payment only.
    if (tool.price.unit === 'credit' || tool.admit) continue
    const inputs = [
      ...tool.examples,
      ...refusals.flatMap(([slug, name, input]) =>
        slug === service.slug && name === tool.name ? [input] : [],
      ),
    ]
    for (const input of inputs)
      for (const person of ['nobody', 'free key'] as const) {
        let refusal: string | undefined
        const run: AnyTool['run'] = async (ctx, given) => {
          try {
            return await tool.run(ctx, given)
          } catch (cause) {
            if (cause instanceof ToolError) refusal = cause.code
            throw cause
          }
        }
        const { quote: _, reserves: __, ...rest } = tool
        await ask(service, { ...rest, price: free, run }, person, { input })
        if (refusal !== undefined && stateCodes.includes(refusal))
          late.push(
            `${service.slug}.${tool.name} ${JSON.stringify(input).slice(0, 60)} ${person}: ${refusal}`,
          )
      }
  }
  expect(late).toEqual([])
})

test('what a payment adds to the account of its caller comes with the quote that was made for that account', () => {
  const isCredited = ({ service, tool }: (typeof all)[number]): boolean => {
    if (tool.price.unit === 'credit') return true
    if (service.slug !== 'tasks' || !isPriced(tool)) return false
    const source = readFileSync(`mcp/services/tasks/${tool.name.replaceAll('_', '-')}.ts`, 'utf8')
    return /\b(?:addPayment|fundTask)\(/.test(source)
  }
  const credited = all.filter(isCredited)
  expect(credited.length).toBeGreaterThan(8)
  expect(credited.filter(({ tool }) => !tool.credits).map(({ tool }) => tool.name)).toEqual([])
})
