import { expect, test } from 'vitest'
import { audit } from '../../mcp/payment/ledger/audit.ts'
import { openLedger } from '../../mcp/payment/ledger/index.ts'
import { firstSeed, withSeed } from '../random.ts'
import { openStore } from '../store/opened.ts'
import { runs } from '../stress.ts'
import { makeCrowd } from './ledger-crowd.ts'
import { onBothEngines } from './ledger-engines.ts'

/** On PostgreSQL every statement is a round trip, so that more entries share a transaction there, and fewer are made. */
const sizes = {
  embedded: { postings: runs(50_000), writers: 64, owners: 40, perTransaction: 1 },
  postgres: { postings: runs(20_000, 2000), writers: 6, owners: 300, perTransaction: 2 },
}

onBothEngines(engine => {
  const { postings, ...size } = sizes[engine.name]
  test(`${postings} random postings by many at the same time keep every invariant`, async () => {
    await withSeed(firstSeed(), async random => {
      const { store } = await openStore(engine)
      const crowd = makeCrowd(store, random, size)
      await crowd.run(postings)

      const report = await audit(store)
      expect(report.faults).toEqual([])
      expect(report.entries).toBe(crowd.entries.size)
      expect(report.postings).toBeGreaterThanOrEqual(postings)
      expect(crowd.twice).toEqual([])
      expect(crowd.below).toEqual([])
      for (const [word, times] of Object.entries(crowd.counts))
        expect(times, word).toBeGreaterThan(postings / 5000)

      const ledger = openLedger()
      let sum = 0n
      for (const account of crowd.accounts) {
        const { total, held } = await ledger.balance(store, 'credit', account)
        expect([account, total.value, held.value]).toEqual([account, crowd.balance(account), 0n])
        if (!/^(house|world):/.test(account)) expect(total.value).toBeGreaterThanOrEqual(0n)
        sum += total.value
      }
      expect(sum).toBe(0n)
    })
  }, 1_200_000)
})
