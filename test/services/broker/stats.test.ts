import { expect, test } from 'vitest'
import { type Account, accountsIn } from '../../../mcp/services/broker/account.ts'
import { opened } from '../../opened.ts'
import { startMarket } from './market.ts'

const market = opened(startMarket)

const addAccounts = (from: number, to: number) =>
  market.world.ports.store?.transaction(async tx => {
    for (let nth = from; nth < to; nth++) {
      const id = `acc_${nth}`
      await accountsIn(tx).put({ id, handle: id, origin: null, wallet: null } as Account)
    }
  })

test('a small board is counted for each who asks, a large one at most every ten seconds', async () => {
  const count = async () => (await market.ask('board_stats')).accounts
  expect(await count()).toBe(0)
  for (let nth = 0; nth < 10_000; nth += 50) await addAccounts(nth, nth + 50)
  expect(await count()).toBe(10_000)
  await addAccounts(10_000, 10_001)
  const { counted_at, accounts } = await market.ask('board_stats')
  expect(accounts).toBe(10_001)
  await addAccounts(10_001, 10_002)
  expect(await market.ask('board_stats')).toMatchObject({ counted_at, accounts: 10_001 })
  market.later(10_000)
  expect(await count()).toBe(10_002)
})
