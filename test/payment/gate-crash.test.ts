import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { listOwed } from '../../mcp/payment/gate/owed.ts'
import { openFakeMethod } from './fake-method.ts'
import { failing, openPaid, type Paid, signFor } from './gate-fixture.ts'
import { openLife } from './mortal.ts'

let at = Date.now()
let paid: Paid
beforeEach(async () => {
  at = Date.now()
  paid = await openPaid({ clock: () => new Date(at) })
})
afterEach(() => paid.stop())

/** A process that dies where `when` says, in the midst of a call. */
const dying = async (name: 'feed' | 'look' | 'brush', when: 'before' | 'after' | 'running') => {
  const { chain, knobs, store, boot } = paid
  const payment = await signFor(paid, paid[name])
  const life = openLife()
  const { ask } = boot([life.method(openFakeMethod(chain))], life.store(store))
  const death = new Promise<void>(resolve => {
    const die = async () => {
      life.die()
      resolve()
      await new Promise(() => undefined)
    }
    if (when === 'running') knobs.enter = die
    else if (when === 'before') chain.hooks.before = die
    else
      chain.hooks.after = async () => {
        life.die()
        resolve()
      }
  })
  void ask(paid[name], { payment }).catch(() => undefined)
  await death
  knobs.enter = undefined
  chain.hooks = {}
  return payment
}

describe('a process that dies', () => {
  test.each([
    ['feed', 'before'],
    ['feed', 'after'],
    ['feed', 'running'],
    ['look', 'before'],
    ['look', 'after'],
    ['look', 'running'],
    ['brush', 'before'],
    ['brush', 'after'],
    ['brush', 'running'],
  ] as const)('in %s %s settlement leaves a payload that gets its answer at once', async (name, when) => {
    const payment = await dying(name, when)
    const { chain, knobs, boot } = paid
    knobs.runs = 0
    const next = boot()
    const outcome = await next.ask(paid[name], { payment })
    expect(outcome.output).toMatchObject({ said: `${name} Mia` })
    const isStored = name === 'look' && when !== 'running'
    expect([chain.debits(), knobs.runs]).toEqual([100_000n, isStored ? 0 : 1])
    expect((await next.ask(paid[name], { payment })).output).toEqual(outcome.output)
  })

  test('with money taken shows up as owed without its payer, after the sweep', async () => {
    await dying('feed', 'after')
    const { gate } = paid.boot()
    expect(await listOwed(paid.store, new Date(at))).toEqual([])
    expect(await gate.reconcile()).toBe(1)
    expect(await listOwed(paid.store, new Date(at))).toMatchObject([{ state: 'owed', amount: '100000' }])
    expect(await gate.reconcile()).toBe(0)
  })

  test('in a handler leaves work that is owed once its lease is over', async () => {
    await dying('feed', 'running')
    expect(await listOwed(paid.store, new Date(at + 60_000))).toMatchObject([{ state: 'paid' }])
  })

  test('before it settled leaves nothing that the sweep may not leave alone', async () => {
    const payment = await dying('feed', 'before')
    const { gate, ask } = paid.boot()
    expect(await gate.reconcile()).toBe(0)
    expect((await ask(paid.feed, { payment })).output).toMatchObject({ run: 1 })
  })
})

test('the sweep leaves payments alone that are being worked on', async () => {
  let go = () => {}
  paid.knobs.wait = new Promise<void>(resolve => {
    go = resolve
  })
  const running = paid.ask(paid.feed, { payment: await signFor(paid, paid.feed) })
  while (paid.knobs.runs === 0) await new Promise(setImmediate)
  expect(await paid.gate.reconcile()).toBe(0)
  go()
  expect((await running).output).toMatchObject({ run: 1 })
})

test('the sweep tells settled from failed among slow confirmations', async () => {
  paid.chain.slow = true
  const payment = await signFor(paid, paid.look)
  await failing(paid.ask(paid.look, { payment }))
  expect(await paid.gate.reconcile()).toBe(0)
  paid.chain.confirm()
  expect(await paid.gate.reconcile()).toBe(1)
  expect(await listOwed(paid.store)).toEqual([])
  expect((await paid.ask(paid.look, { payment })).output).toMatchObject({ said: 'look Mia' })
})
