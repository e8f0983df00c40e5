import { expect, test } from 'vitest'
import { sats } from '../../../../mcp/kernel/tool.ts'
import { countPaidCall } from '../../../../mcp/services/proof/account-parts.ts'
import { countActs, readActivity } from '../../../../mcp/services/proof/residence.ts'
import proof from '../../../../mcp/services/proof/service.ts'
import {
  areRelated,
  countMessage,
  countTrade,
  markOwner,
  maxSalesToOneBuyer,
  maxSatsOfOnePayer,
} from '../../../../mcp/services/proof/trade.ts'
import { onBothEngines } from '../../../payment/ledger-engines.ts'
import { runs } from '../../../stress.ts'

const people = ['a', 'b', 'c', 'd', 'e'].map(letter => letter.repeat(24))
const start = Date.parse('2026-01-01T00:00:00.000Z')

type Fact =
  | { kind: 'call'; who: string; sats: number; at: string }
  | { kind: 'proof'; who: string; at: string }
  | { kind: 'fulfilled'; who: string; at: string }
  | { kind: 'sale' | 'message'; from: string; to: string; sats: number; fee: number; at: string }

/** Reads the whole history again, each time. */
const replay = (facts: readonly Fact[], who: string) => {
  let calls = 0
  let spent_sats = 0
  let proofs = 0
  let fulfilled = 0
  let sales = 0
  let last_act_at: string | null = null
  const nets = new Map<string, number>()
  const buyers = new Map<string, number>()
  for (const fact of facts) {
    if (fact.kind === 'sale' || fact.kind === 'message') {
      if (fact.to === who) nets.set(fact.from, (nets.get(fact.from) ?? 0) + fact.sats)
      if (fact.from === who) nets.set(fact.to, (nets.get(fact.to) ?? 0) - fact.sats)
      if (fact.to === who && fact.kind === 'sale') buyers.set(fact.from, (buyers.get(fact.from) ?? 0) + 1)
      if (fact.from !== who) continue
      last_act_at = fact.at
      if (fact.kind === 'message') {
        calls++
        spent_sats += fact.fee
      }
      continue
    }
    if (!('who' in fact) || fact.who !== who) continue
    last_act_at = fact.at
    if (fact.kind === 'call') {
      calls++
      spent_sats += fact.sats
    } else if (fact.kind === 'proof') proofs++
    else fulfilled++
  }
  for (const count of buyers.values()) sales += Math.min(maxSalesToOneBuyer, count)
  const earned_sats = [...nets.values()].reduce(
    (sum, net) => sum + Math.min(maxSatsOfOnePayer, Math.max(0, net)),
    0,
  )
  return { id: who, calls, spent_sats, earned_sats, proofs, sales, fulfilled, last_act_at }
}

const callOf = (name: string) => {
  const found = proof.tools.find(tool => tool.name === name)
  if (!found) throw new Error(`no tool ${name}`)
  return found
}

onBothEngines(({ place }) => {
  test('counters keep to a plain model through random acts, also where several happen at once', async () => {
    const here = await place()
    const store = await here.open()
    const facts: Fact[] = []
    const marks = new Map(people.map(id => [id, new Set<string>()]))
    let seed = 31
    const random = (below: number) => {
      seed = (1_664_525 * seed + 1_013_904_223) % 2 ** 32
      return Math.floor((seed / 2 ** 32) * below)
    }
    const pick = () => people[random(people.length)] ?? ''
    const isOneOwner = (one: string, other: string) =>
      [...(marks.get(one) ?? [])].some(mark => marks.get(other)?.has(mark))
    try {
      for (let step = 0; step < runs(3000, 300); step++) {
        const now = new Date(start + step * 3_600_000)
        const at = now.toISOString()
        const who = pick()
        const action = random(12)
        if (action === 0 && random(12) === 0) {
          const mark = `network:${random(4)}`
          marks.get(who)?.add(mark)
          await store.transaction(tx => markOwner(tx, who, mark))
        } else if (action < 3) {
          const price = 20 + random(3000)
          const receipt = { id: '', method: 'balance', network: 'ledger:msat', transaction: '', payer: '' }
          const call = {
            tool: callOf('review'),
            caller: { id: who, via: 'bearer' as const },
            receipt,
            at: now,
          }
          await store.transaction(tx => countPaidCall(tx, { ...call, price: sats(String(price)) }))
          facts.push({ kind: 'call', who, sats: price, at })
        } else if (action === 3) {
          await store.transaction(tx => countActs(tx, who, { proofs: 1 }, now))
          facts.push({ kind: 'proof', who, at })
        } else if (action === 4) {
          await store.transaction(tx => countActs(tx, who, { fulfilled: 1 }, now))
          facts.push({ kind: 'fulfilled', who, at })
        } else {
          const trades = Array.from({ length: 1 + random(3) }, () => {
            const from = pick()
            const to = people.filter(id => id !== from)[random(people.length - 1)] ?? ''
            return { from, to, sats: 95 + random(4000), fee: 5 + random(20), isSale: random(2) === 0 }
          })
          await Promise.all(
            trades.map(({ from, to, sats, fee, isSale }) =>
              store.transaction(async tx => {
                const trade = { payer: from, payee: to, sats, now }
                if (isSale) await countTrade(tx, { ...trade, isSale })
                else await countMessage(tx, { ...trade, fee })
              }),
            ),
          )
          for (const { from, to, sats, fee, isSale } of trades)
            if (!isOneOwner(from, to))
              facts.push({ kind: isSale ? 'sale' : 'message', from, to, sats, fee, at })
        }
        if (step % 50 !== 0) continue
        for (const id of people) expect(await readActivity(store, id)).toEqual(replay(facts, id))
      }
      for (const id of people) expect(await readActivity(store, id)).toEqual(replay(facts, id))
    } finally {
      await store.close()
      await here.clean()
    }
  })

  test('an account with more marks than are compared is taken for related to everybody', async () => {
    const here = await place()
    const store = await here.open()
    try {
      for (let nth = 0; nth < 40; nth++) await store.transaction(tx => markOwner(tx, 'many', `payer:${nth}`))
      await store.transaction(tx => markOwner(tx, 'one', 'payer:other'))
      expect(await store.transaction(tx => areRelated(tx, 'many', 'one'))).toBe(true)
      expect(await store.transaction(tx => areRelated(tx, 'one', 'two'))).toBe(false)
    } finally {
      await store.close()
      await here.clean()
    }
  })
})
