import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { registrationsPerDay } from '../../../mcp/kernel/origin.ts'
import { actionsIn } from '../../../mcp/services/gateway/action/action.ts'
import { maxADay, purgeActions } from '../../../mcp/services/gateway/action/purge.ts'
import { probesIn } from '../../../mcp/services/gateway/callability/history.ts'
import { maxPerAddress } from '../../../mcp/services/gateway/join-svc.ts'
import { expireMembers } from '../../../mcp/services/gateway/member/expire.ts'
import { declaredIn, membersIn } from '../../../mcp/services/gateway/member/member.ts'
import { hashOrigin } from '../../../mcp/services/gateway/origin.ts'
import { type Purchase, purchasesIn } from '../../../mcp/services/gateway/purchase/purchase.ts'
import {
  maxUnpaidADay,
  purgePurchases,
  requireUnpaidRoom,
} from '../../../mcp/services/gateway/purchase/purge.ts'
import { refused, startTown, type Town } from './town.ts'

const dayMs = 86_400_000

let town: Town
beforeEach(async () => {
  town = await startTown(
    {},
    {
      limits: {
        take: () => ({ quota: 1, remaining: 1, resetSeconds: 1, ok: true }),
        giveBack: () => undefined,
      },
    },
  )
})
afterEach(() => town.stop())

const storeOf = () => {
  const { store, clock, keys } = town.world.ports
  if (!store || !clock || !keys) throw new Error('no ports')
  return { store, clock, keys, signal: new AbortController().signal }
}

const run = async () => {
  for (const job of [expireMembers, purgePurchases, purgeActions]) await job.run(storeOf())
}

let joined = 0
const join = (client: string) =>
  town.ask(
    'join_svc',
    { external_id: `member-${++joined}.example.com`, name: 'M', capabilities: ['ocr', 'x'] },
    { client },
  )

const probe = (bearer: string, client = '10.0.0.1') =>
  town.ask(
    'verify_external_callability',
    { query: 'nothing of the kind', authorize_external_contact: true },
    { credentials: { bearer }, client },
  )

describe('members', () => {
  test('join so often from one address a day, and so many at all', async () => {
    for (let nth = 0; nth < maxPerAddress; nth++) {
      if (nth > 0 && nth % registrationsPerDay === 0) {
        expect(await refused(join('10.0.0.1'))).toMatchObject({
          status: 429,
          reason: 'registrations_of_the_day',
        })
        town.later(dayMs + 1)
      }
      await join('10.0.0.1')
    }
    town.later(dayMs + 1)
    expect(await refused(join('10.0.0.1'))).toMatchObject({ status: 429, reason: 'members_of_the_address' })
    expect(await join('10.0.0.2')).toMatchObject({ capabilities: ['ocr', 'x'] })
  })

  test('are forgotten with what they declared 90 days after their key was used last', async () => {
    const { store } = storeOf()
    const [idle, busy] = [await join('10.0.0.1'), await join('10.0.0.1')]
    const credentials = { bearer: String(busy.agent_key) }
    town.later(60 * dayMs)
    await town.ask('discover_members', { capability: 'ocr' }, { credentials })
    town.later(31 * dayMs)
    await run()
    expect(await town.ask('discover_members', { capability: 'ocr' })).toMatchObject({ count: 1 })
    expect(await membersIn(store).get(String(idle.agent_id))).toBeUndefined()
    expect(await declaredIn(store).count()).toBe(2)
    const again = { external_id: String(idle.external_id), name: 'M', capabilities: ['ocr'] }
    expect(await town.ask('join_svc', again)).toMatchObject({ capabilities: ['ocr'] })
  })

  test('who joined before keys were watched have 90 days from now on', async () => {
    const { store } = storeOf()
    const { agent_id } = await join('10.0.0.1')
    const { seen_at: _, ...old } = (await membersIn(store).get(String(agent_id))) ?? { id: '' }
    await membersIn(store).put(old as never)
    await run()
    expect(await membersIn(store).get(String(agent_id))).toMatchObject({ seen_at: expect.any(String) })
    town.later(91 * dayMs)
    await run()
    expect(await membersIn(store).get(String(agent_id))).toBeUndefined()
  })
})

describe('actions', () => {
  test('are begun so often from one address a day, before anybody is looked for', async () => {
    const { store } = storeOf()
    const key = await town.join()
    const { action_id } = await probe(key)
    const first = await actionsIn(store).get(String(action_id))
    if (!first) throw new Error('no action')
    for (let nth = 1; nth < maxADay; nth++) await actionsIn(store).put({ ...first, id: `act_${nth}` })
    expect(await refused(probe(key))).toMatchObject({ status: 429, reason: 'actions_of_the_day' })
    expect(await probe(key, '10.0.0.2')).toMatchObject({ state: expect.any(String) })
    const read = await town.ask('get_action_status', { action_id }, { credentials: { bearer: key } })
    expect(JSON.stringify(read)).not.toContain(String(first.origin))
  })

  test('that a program left behind end as ambiguous; all are forgotten after 30 days, probes after 90', async () => {
    const { store, clock } = storeOf()
    const key = await town.join()
    const { action_id } = await probe(key)
    const id = String(action_id)
    await actionsIn(store).update(id, action => ({ ...action, state: 'invoking' as const }))
    const at = clock.now().toISOString()
    const seen = { target: 'x', status: 'callable' as const, failure_class: null, proof_digest: 'd' }
    await probesIn(store).put({ id: 'prb_1', ...seen, card_digest: null, pay_to: null, at })
    await run()
    expect(await actionsIn(store).get(id)).toMatchObject({ state: 'invoking' })
    town.later(11 * 60_000)
    await run()
    expect(await actionsIn(store).get(id)).toMatchObject({
      state: 'ambiguous',
      failure_class: 'unknown_delivery_state',
    })
    town.later(30 * dayMs)
    await run()
    expect([await actionsIn(store).count(), await probesIn(store).count()]).toEqual([0, 1])
    town.later(60 * dayMs)
    await run()
    expect(await probesIn(store).count()).toBe(0)
  })
})

describe('prepared purchases', () => {
  const prepared = (id: string, origin: string, more: object = {}) => {
    const now = storeOf().clock.now()
    const expires_at = new Date(now.getTime() + 15 * 60_000).toISOString()
    return {
      ...{ id, origin, state: 'prepared', transaction_hash: null, payment: null },
      ...{ prepared_at: now.toISOString(), expires_at, ...more },
    } as unknown as Purchase
  }

  test('that nobody pays are so many of one address a day', async () => {
    const { store, clock, keys } = storeOf()
    const [one, other] = [hashOrigin(keys, '10.0.0.1'), hashOrigin(keys, '10.0.0.2')]
    for (let nth = 0; nth < maxUnpaidADay; nth++) await purchasesIn(store).put(prepared(`pur_${nth}`, one))
    const room = (origin: string) => requireUnpaidRoom(store, origin, clock.now())
    expect(await refused(room(one))).toMatchObject({ status: 429, reason: 'unpaid_purchases' })
    await room(other)
    await purchasesIn(store).put(prepared('pur_0', one, { state: 'entitled' }))
    await room(one)
    await purchasesIn(store).put(prepared('pur_0', one))
    town.later(dayMs + 1)
    await room(one)
  })

  test('are forgotten 7 days after their time; what was paid stays', async () => {
    const { store } = storeOf()
    await purchasesIn(store).put(prepared('pur_a', 'x'))
    await purchasesIn(store).put(prepared('pur_b', 'x', { state: 'entitled' }))
    town.later(7 * dayMs)
    await run()
    expect(await purchasesIn(store).count()).toBe(2)
    town.later(16 * 60_000)
    await run()
    expect(await purchasesIn(store).get('pur_a')).toBeUndefined()
    expect(await purchasesIn(store).get('pur_b')).toBeDefined()
  })
})
