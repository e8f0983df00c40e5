import { expect, test } from 'vitest'
import { onBothEngines } from '../../payment/ledger-engines.ts'
import { runs } from '../../stress.ts'
import { startMarket } from './market.ts'
import { random } from './random.ts'
import { openModel, openWalk } from './walk.ts'

onBothEngines(engine => {
  const steps = engine.name === 'embedded' ? runs(12_000, 1200) : runs(2000, 1000)

  test(`${steps} random operations of 50 accounts leave every balance as the model has it`, async () => {
    const place = await engine.place()
    const store = await place.open()
    const market = await startMarket({ store })
    const traders = await Promise.all(Array.from({ length: 50 }, () => market.trader()))
    const model = openModel(traders)
    const step = openWalk(market, model, random(20_261_121))
    for (let done = 0; done < steps; done++) await step()
    for (const { trader, total, held } of model.accounts) {
      const { credits } = await trader.ask('get_account')
      expect(credits).toEqual({ total, held, available: total - held })
      expect(total - held).toBeGreaterThanOrEqual(0)
    }
    const { total } = await market.ledger.balance(store, 'credit', 'house:broker-fees')
    expect(Number(total.value)).toBe(model.fees())
    expect([...model.deals.values()].every(count => count === 1)).toBe(true)
    expect(model.deals.size).toBeGreaterThan(steps / 400)
    await market.stop()
    await store.close()
    await place.clean()
  })
})
