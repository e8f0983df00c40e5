import { expect, test } from 'vitest'
import { newAccountId } from '../../mcp/accounts/account.ts'
import { requireUsd } from '../../mcp/accounts/amount.ts'
import { sats, usd } from '../../mcp/kernel/tool.ts'
import { paymentRows } from '../../mcp/payment/gate/record.ts'
import { audit } from '../../mcp/payment/ledger/audit.ts'
import { openPurse, toKey } from './purse-world.ts'

test('work that comes to less than its quote costs what it came to, in balance, limits, record and ledger', async () => {
  const purse = await openPurse()
  const account = newAccountId()
  await purse.topUp(account, requireUsd('1.00'))
  await purse.setLimits('grant_a', { account, per_day: '0.20' })
  const key = toKey(account, 'grant_a')
  purse.knobs.used = usd('0.03')
  await purse.ask(purse.dime, key)
  expect(await purse.balance(account)).toMatchObject({ available: '0.97', held: '0.00' })
  expect(await purse.spentToday('grant_a')).toBe('0.03')
  // In the unit of its price: 50 of the 200 sat that are 0.12 USD.
  purse.knobs.used = sats('50')
  await purse.ask(purse.coin, key)
  expect(await purse.balance(account)).toMatchObject({ available: '0.94', held: '0.00' })
  expect(await purse.spentToday('grant_a')).toBe('0.06')
  const rows = (await paymentRows(purse.store).find({ index: 'state', where: { state: 'done' }, limit: 9 }))
    .rows
  expect(rows.map(({ amount }) => amount)).toEqual(['30000', '30000'])
  expect((await audit(purse.store)).faults).toEqual([])
  for (const used of [usd('0.11'), usd('0'), sats('1')]) {
    purse.knobs.used = used
    await expect(purse.ask(purse.dime, key)).rejects.toThrow()
  }
  expect(await purse.balance(account)).toMatchObject({ available: '0.94', held: '0.00' })
  expect(await purse.spentToday('grant_a')).toBe('0.06')
  await purse.stop()
})
