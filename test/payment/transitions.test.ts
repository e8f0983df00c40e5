import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PaymentPending, ToolError } from '../../mcp/kernel/error.ts'
import { openEncryption } from '../../mcp/payment/gate/encryption.ts'
import { openPaymentRecords } from '../../mcp/payment/gate/payment-records.ts'
import {
  type PaymentEvent,
  type PaymentRun,
  type RunState,
  type Step,
  toFacts,
  toFoundEvent,
} from '../../mcp/payment/gate/payment-run.ts'
import { openQuotes } from '../../mcp/payment/gate/quote.ts'
import { type PaymentRow, type PaymentState, paymentRows } from '../../mcp/payment/gate/record.ts'
import { strayTransitions, transitions } from '../../mcp/payment/gate/transitions.ts'
import type { FindResult, Offer, VerifyResult } from '../../mcp/payment/method.ts'
import type { Store } from '../../mcp/ports/store/port.ts'
import { serviceWith } from '../call/fixture.ts'
import { openTestWorld, type TestWorld } from '../world.ts'
import { openChain, openFakeMethod } from './fake-method.ts'
import { openTools } from './gate-fixture.ts'
import { rates } from './x402.ts'

const offer: Offer = {
  method: 'x402-evm',
  kind: 'eip3009',
  words: '0.10 USDC',
  network: 'eip155:84532',
  amount: '100000',
  asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
  payTo: '0x00000000000000000000000000000000000000aA',
  maxTimeoutSeconds: 300,
  extra: {},
}
const transfer = { transaction: '0x01', payer: '0x02' }
const payer = transfer.payer

let world: TestWorld
let store: Store
let serial = 0
beforeAll(async () => {
  world = await openTestWorld()
  store = world.ports.store as Store
})
afterAll(() => world.stop())

/** How a cell is played: what the method says, how the work ends, whose call it is, and what the record has beside its state. */
type Script = {
  finds?: FindResult | 'settled' | 'silent'
  verifies?: VerifyResult | 'silent'
  settles?: 'settled' | 'pending' | 'failed' | 'refused'
  request?: string
  isFailing?: boolean
  holder?: string
  row?: Partial<PaymentRow>
}

const settled = (): Extract<FindResult, { state: 'settled' }> => ({
  state: 'settled',
  ...transfer,
  log: `log:${++serial}`,
})

/** A run over real records, whose method and work do as the script says. */
const open = (script: Script): PaymentRun => {
  const { finds = { state: 'unused' }, verifies = { ok: true, payer }, settles = 'settled' } = script
  const id = `payment-${++serial}`
  const clock = { now: () => new Date() }
  const records = openPaymentRecords(store, clock, 60_000, 'process')
  const hmacKey = randomBytes(32)
  const knobs = { enter: undefined, price: '0.10', fail: undefined, wait: undefined, runs: 0 }
  const feed = openTools(knobs).feed
  const method = {
    ...openFakeMethod(openChain()),
    find: async () => {
      if (finds === 'silent') throw new Error('no answer')
      return finds === 'settled' ? settled() : finds
    },
    verify: async () => {
      if (verifies === 'silent') throw new Error('no answer')
      return verifies
    },
    settle: async () => {
      if (settles === 'settled') return settled()
      if (settles === 'pending') return { state: 'pending' as const, transaction: '0x01' }
      return { state: settles, reason: 'settlement_failed' as const }
    },
    offer: async () => offer,
  }
  return {
    deps: {
      methods: [method],
      dialects: [],
      rates,
      records,
      quotes: openQuotes({ hmacKey }, clock),
      encryption: openEncryption({ hmacKey }),
      onAlarm: () => {},
      now: clock.now,
    },
    charge: {
      service: serviceWith(feed),
      tool: feed,
      input: { cat: 'Mia' },
      price: { unit: 'usd', amount: '0.10' },
      caller: undefined,
      channel: 'rest',
      resource: 'https://pay.example.org/feed',
      method: 'POST',
      evidence: { headers: {}, meta: {} },
      offers: [offer],
    },
    attempt: {
      dialect: 'x402',
      kind: 'eip3009',
      network: offer.network,
      accepted: undefined,
      proof: [id],
      data: {},
    },
    dialect: { id: 'x402', ask: () => ({}), read: () => [], report: () => ({}) },
    method,
    request: 'this call',
    runner: 'process:mine',
    identity: id,
    id,
    time: 'before',
    async work(paid) {
      if (script.isFailing) throw new ToolError('internal', 'the work failed')
      const answer = { said: 'purr' }
      await store.transaction(tx => paid.seal(tx, answer))
      return answer
    },
  }
}

/** A record in this state; `runner` is who holds it, if anybody. */
const record = async (
  run: PaymentRun,
  state: PaymentState,
  runner: string | null,
  more: Partial<PaymentRow>,
): Promise<PaymentRow> => {
  const row = await run.deps.records.reserve(toFacts(run, offer, payer), run.runner)
  if (typeof row === 'string') throw new Error(row)
  const isHere = state !== 'reserved' && state !== 'pending' && state !== 'failed'
  const now: PaymentRow = {
    ...row,
    state,
    runner,
    lease: runner && new Date(Date.now() + 45_000).toISOString(),
    ...(isHere && { transaction: '0x01', log: `log:${++serial}` }),
    ...(state === 'failed' && { claim: null }),
    ...(state === 'done' && { answer: '{"said":"kept"}' }),
    ...more,
  }
  await paymentRows(store).put(now)
  return now
}

/** In words what a transition came to: the next state and event, the answer, or the refusal. */
const outcomeOf = async (step: Promise<Step>): Promise<string> => {
  try {
    const next = await step
    if ('answer' in next)
      return `answer ${(next.answer.answer as { said: string }).said}${next.answer.replayed ? ' again' : ''}`
    return `${next.row?.state ?? 'new'} ${next.event.type}`
  } catch (error) {
    if (error instanceof PaymentPending) return 'told to wait'
    if (!(error instanceof ToolError)) throw error
    return `refused: ${error.extra.reason ?? error.extra.payment?.errorReason ?? error.code}`
  }
}

const eventOf = (type: PaymentEvent['type']): PaymentEvent => {
  switch (type) {
    case 'verified':
      return { type, offer, payer }
    case 'refused':
      return { type, reason: 'expired', offer }
    case 'moved':
      return { type, offer, status: settled(), isStray: false }
    case 'movable':
      return { type, isFirst: true }
    case 'settled':
      return toFoundEvent(settled())
    case 'pending':
      return toFoundEvent({ state: 'pending', transaction: '0x01' })
    case 'failed':
      return toFoundEvent({ state: 'failed', reason: 'expired' })
    case 'unused':
    case 'unknown':
      return toFoundEvent({ state: type })
    default:
      return { type }
  }
}

const play = async (
  isStray: boolean,
  state: RunState,
  type: PaymentEvent['type'],
  script: Script,
): Promise<string> => {
  const run = open(script)
  // A call that brings a payment holds nothing yet; whatever follows has the record in hand.
  const runner = type === 'sent' ? (script.holder ?? null) : type === 'busy' ? 'process:other' : run.runner
  const more = { ...(isStray && { isStray: true as const }), ...script.row }
  const row = state === 'new' ? undefined : await record(run, state, runner, more)
  const transition = (isStray ? strayTransitions : transitions)[state][type] as
    | ((run: PaymentRun, row: PaymentRow | undefined, event: PaymentEvent) => Promise<Step>)
    | undefined
  if (!transition) throw new Error('no such cell')
  return outcomeOf(transition({ ...run, request: script.request ?? run.request }, row, eventOf(type)))
}

type Row = [states: RunState[], event: PaymentEvent['type'], outcome: string, script?: Script]

const unrecorded: RunState[] = ['new', 'failed']
const unsettled: RunState[] = ['reserved', 'pending']
const unserved: RunState[] = ['paid', 'owed']
const givenBack: RunState[] = ['refunding', 'refunded']
const all: RunState[] = [...unsettled, ...unserved, 'done', ...givenBack, 'lost']
const used = 'refused: payment_already_used'

/** What each cell comes to: the state and the event that follow, the answer, or the refusal. */
const cells: Row[] = [
  [unrecorded, 'sent', 'new verified'],
  [unrecorded, 'sent', 'new refused', { verifies: { ok: false, reason: 'expired' } }],
  [unrecorded, 'sent', 'refused: upstream', { verifies: 'silent' }],
  [unrecorded, 'verified', 'reserved movable'],
  [unrecorded, 'moved', 'reserved settled'],
  [unrecorded, 'refused', 'refused: expired', { finds: { state: 'failed', reason: 'expired' } }],
  [unrecorded, 'refused', 'reserved settled', { finds: 'settled' }],
  [unrecorded, 'refused', 'reserved pending', { finds: { state: 'pending', transaction: '0x01' } }],
  [['new'], 'refused', 'refused: upstream', { finds: 'silent' }],
  [['failed'], 'refused', 'reserved unknown', { finds: 'silent' }],

  [[...unsettled, ...unserved], 'sent', 'held'],
  [[...unsettled, ...unserved], 'sent', 'busy', { holder: 'process:other' }],
  [all, 'sent', used, { request: 'another call' }],
  [['done'], 'sent', 'answer kept again'],
  [givenBack, 'sent', used],
  [['lost'], 'sent', 'refused: expired'],
  [[...unsettled, ...unserved, ...givenBack, 'lost'], 'busy', 'told to wait'],
  [['done'], 'busy', 'done sent'],

  [unsettled, 'held', 'settled', { finds: 'settled' }],
  [unsettled, 'held', 'unused'],
  [unsettled, 'held', 'unknown', { finds: 'silent' }],
  [[...unsettled, ...unserved], 'held', used, { row: { spentElsewhere: true } }],
  [unserved, 'held', 'answer purr'],
  [unserved, 'held', 'refused: internal', { isFailing: true }],
  [['refunding'], 'held', used],

  [unsettled, 'unused', 'movable'],
  [unsettled, 'unused', 'told to wait', { verifies: 'silent' }],
  [unsettled, 'settled', 'paid collected'],
  [unsettled, 'pending', 'told to wait'],
  [unsettled, 'unknown', 'told to wait'],
  [unsettled, 'failed', 'refused: expired'],
  [unsettled, 'movable', 'paid collected'],
  [unsettled, 'movable', 'told to wait', { settles: 'pending' }],
  [unsettled, 'movable', 'paid collected', { settles: 'failed', finds: 'settled' }],
  [unsettled, 'movable', 'told to wait', { settles: 'failed' }],
  [unsettled, 'movable', 'refused: settlement_failed', { settles: 'refused' }],
  [['paid'], 'collected', 'answer purr'],
  [['done'], 'collected', 'answer kept'],
]

const strayCells: Row[] = [
  [[...unsettled, ...unserved], 'sent', 'held'],
  [[...unsettled, ...unserved], 'sent', 'told to wait', { holder: 'process:other' }],
  [['done', 'lost'], 'sent', 'told to wait'],
  [givenBack, 'sent', used],
  [['refunding'], 'held', used],
  [unsettled, 'held', 'unused'],
  [[...unsettled, ...unserved], 'held', used, { row: { spentElsewhere: true } }],
  [unserved, 'held', 'paid collected'],
  [unsettled, 'settled', 'paid collected'],
  [unsettled, 'pending', 'told to wait'],
  [unsettled, 'unused', 'told to wait'],
  [unsettled, 'unknown', 'told to wait'],
  [unsettled, 'failed', 'refused: expired'],
  // No quote of ours names this call.
  [['paid'], 'collected', 'refused: payment_owed'],
]

const flat = (rows: Row[]) =>
  rows.flatMap(([states, event, outcome, script = {}]) =>
    states.map(state => {
      const [first = ''] = outcome.split(' ')
      const isEvent = ['held', 'busy', 'settled', 'unused', 'unknown', 'movable'].includes(first)
      return { state, event, outcome: isEvent ? `${state} ${outcome}` : outcome, script }
    }),
  )

test.each(flat(cells))(
  'a payment that is $state, $event: $outcome',
  async ({ state, event, outcome, script }) => {
    expect(await play(false, state, event, script)).toBe(outcome)
  },
)

test.each(flat(strayCells))(
  'stray money, $state, $event: $outcome',
  async ({ state, event, outcome, script }) => {
    expect(await play(true, state, event, script)).toBe(outcome)
  },
)

test('each cell of both tables is played', () => {
  const names = (table: typeof transitions) =>
    Object.entries(table).flatMap(([state, events]) => Object.keys(events).map(event => `${state} ${event}`))
  const played = (rows: Row[]) => new Set(flat(rows).map(({ state, event }) => `${state} ${event}`))
  const missing = (table: typeof transitions, rows: Row[]) =>
    names(table).filter(cell => !played(rows).has(cell))
  expect(missing(transitions, cells)).toEqual([])
  // What has no record, or moved no money, is the same for both.
  expect(missing(strayTransitions, strayCells).filter(cell => !/^(new|failed) /.test(cell))).toEqual([])
})
