import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ToolError } from '../../mcp/kernel/error.ts'
import type { Account } from '../../mcp/payment/ledger/account.ts'
import { msats } from '../../mcp/payment/ledger/amount.ts'
import { audit } from '../../mcp/payment/ledger/audit.ts'
import { openLedger } from '../../mcp/payment/ledger/index.ts'
import { InsufficientBalance } from '../../mcp/payment/ledger/insufficient.ts'
import type { Tx } from '../../store/index.ts'
import { openStore } from '../store/opened.ts'
import { runs } from '../stress.ts'
import { onBothEngines } from './ledger-engines.ts'
import { type Model, makeModel, type Outcome } from './ledger-model.ts'

const owners = ['user:a', 'user:b', 'agent:c', 'escrow:d'] as const
const owner = fc.constantFrom(...owners)
const account = fc.constantFrom<Account>(...owners, 'house:fees', 'world:in')
const value = fc.bigInt({ min: 1n, max: 40n })
const id = fc.constantFrom('start', '1', '2', '3', '4', '5', '6', '7', '8', '9')

/** One from all the others, or all the others from one; ids come back, with the same content and with another one. */
const post = fc
  .record({
    verb: fc.constant('post' as const),
    id,
    accounts: fc.uniqueArray(account, { minLength: 2, maxLength: 4 }),
    value,
    collects: fc.boolean(),
  })
  .map(({ accounts: [first = 'world:in', ...others], value, collects, ...rest }) => {
    const sign = collects ? 1n : -1n
    return {
      ...rest,
      postings: [
        { account: first, value: sign * value * BigInt(others.length) },
        ...others.map(account => ({ account, value: -sign * value })),
      ],
    }
  })
const holdId = fc.constantFrom('1', '2', '3', '4')
const little = fc.bigInt({ min: 1n, max: 12n })
const hold = fc.record({
  verb: fc.constant('hold' as const),
  id: holdId,
  owner,
  value: little,
  ms: fc.integer({ min: 1, max: 9 }),
})
const capture = fc.record({ verb: fc.constant('capture' as const), id: holdId, value: little })
const release = fc.record({ verb: fc.constant('release' as const), id: holdId })
const repeat = fc.record({ verb: fc.constant('repeat' as const) })
const pass = fc.record({ verb: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 6 }) })
const step = fc.oneof(
  { weight: 8, arbitrary: post },
  { weight: 4, arbitrary: hold },
  { weight: 4, arbitrary: capture },
  { weight: 2, arbitrary: release },
  { weight: 2, arbitrary: repeat },
  { weight: 2, arbitrary: pass },
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never
type Verb = Exclude<Step, { verb: 'pass' | 'repeat' }>

let now = Date.parse('2026-05-01')
let run = 0
const ledger = openLedger(() => new Date(now))
const toRunAccount = (account: Account): Account => `${account}-${run}`
const sink: Account = 'house:sink'

const readOutcome = async (work: Promise<string | undefined>, quiet: Outcome): Promise<Outcome> => {
  try {
    return (await work) ?? quiet
  } catch (error) {
    if (error instanceof InsufficientBalance) return 'insufficient'
    if (error instanceof ToolError) return error.code
    throw error
  }
}

const real = (tx: Tx, step: Verb): Promise<Outcome> => {
  const own = `${run}-${step.id}`
  if (step.verb === 'release')
    return readOutcome(
      ledger.release(tx, own).then(() => undefined),
      'any',
    )
  if (step.verb === 'capture')
    return readOutcome(
      ledger.capture(tx, own, { to: toRunAccount(sink), amount: msats(step.value) }).then(() => undefined),
      'done',
    )
  if (step.verb === 'hold') {
    const { owner, value, ms } = step
    const until = new Date(now + ms)
    return readOutcome(
      ledger.hold(tx, { id: own, unit: 'msat', account: toRunAccount(owner), amount: msats(value), until }),
      '',
    )
  }
  const postings = step.postings.map(({ account, value }) => ({
    account: toRunAccount(account),
    amount: msats(value),
  }))
  return readOutcome(ledger.post(tx, { id: own, unit: 'msat', memo: '', postings }), '')
}

const apply = (model: Model, step: Verb): Outcome => {
  if (step.verb === 'release') return model.release(step.id)
  if (step.verb === 'capture') return model.capture(step.id, sink, step.value)
  if (step.verb === 'hold') return model.hold(step.id, step.owner, step.value, now + step.ms)
  return model.post(step.id, step.postings)
}

const start: Verb = {
  verb: 'post',
  id: 'start',
  postings: [{ account: 'world:in', value: -240n }, ...owners.map(account => ({ account, value: 60n }))],
}

class RollBack extends Error {}

onBothEngines(engine => {
  test('any verbs in any order, committed or rolled back, say and do what a plain list of entries does', async () => {
    const { store } = await openStore(engine)
    const outcomes = new Map<Outcome, number>()
    let entries = 0

    const transact = async (model: Model, steps: readonly Step[], fails: boolean): Promise<Model> => {
      const before = now
      const work = store.transaction(async tx => {
        now = before
        const copy = model.copy()
        let last: Verb = { verb: 'release', id: '1' }
        for (const next of steps) {
          if (next.verb === 'pass') {
            now += next.ms
            continue
          }
          const step: Verb = next.verb === 'repeat' ? last : next
          if (step.verb === 'post') last = step
          const words = apply(copy, step)
          expect(
            await real(tx, step),
            JSON.stringify(step, (_, v) => (typeof v === 'bigint' ? `${v}` : v)),
          ).toBe(words)
          outcomes.set(words, (outcomes.get(words) ?? 0) + 1)
        }
        if (fails) throw new RollBack()
        return copy
      })
      return work.catch(error => {
        if (error instanceof RollBack) return model
        throw error
      })
    }
    const blocks = fc.array(
      fc.record({
        steps: fc.array(step, { minLength: 1, maxLength: 12 }),
        fails: fc.nat(3).map(n => n === 0),
      }),
      { minLength: 2, maxLength: 6 },
    )
    const property = fc.asyncProperty(blocks, async all => {
      run += 1
      let model = await transact(
        makeModel(() => now),
        [start],
        false,
      )
      for (const { steps, fails } of all) model = await transact(model, steps, fails)
      for (const account of [...owners, 'house:fees', 'world:in', sink] as const) {
        const { total, held } = await ledger.balance(store, 'msat', toRunAccount(account))
        expect([account, total.value, held.value]).toEqual([
          account,
          model.total(account),
          model.held(account),
        ])
      }
      entries += model.entries()
    })
    await fc.assert(property, {
      numRuns: engine.name === 'embedded' ? runs(300, 120) : runs(80, 40),
      endOnFailure: true,
    })
    const report = await audit(store)
    expect(report.faults).toEqual([])
    expect(report.entries).toBe(entries)
    const words = [
      'posted',
      'duplicate',
      'conflict',
      'insufficient',
      'held',
      'done',
      'any',
      'gone',
      'not_found',
    ]
    expect(words.filter(word => !outcomes.has(word))).toEqual([])
  })
})
