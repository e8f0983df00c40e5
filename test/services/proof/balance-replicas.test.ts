import { describe, expect, test } from 'vitest'
import { makeSigningKey } from '../../../mcp/ports/sign/sign.ts'
import { openPostgres } from '../../../store/postgres/open.ts'
import { freshSchema, postgresIsHere, withDatabase } from '../../store/database.ts'
import { openAccountsApp } from './accounts-app.ts'

const url = withDatabase()
/** What replicas of one installation share. */
const environment = {
  OCTAGENT_PEPPER: 'a pepper of both replicas, long enough for anybody',
  OCTAGENT_SIGNING_KEY: makeSigningKey(),
}

describe.skipIf(!postgresIsHere)('one balance on two replicas', () => {
  test('pays exactly as many of fifty calls at once as it covers, and is never below zero', async () => {
    const schema = freshSchema()
    const stores = [
      await openPostgres({ url: url(), schema }),
      await openPostgres({ url: url(), schema }),
    ] as const
    const one = await openAccountsApp({ store: stores[0], environment })
    const two = await openAccountsApp({ store: stores[1], environment })
    try {
      const { headers } = await one.funded(17 * 200 + 150)
      const ask = (nth: number) =>
        (nth % 2 ? one : two).post(
          '/review',
          { artifact: `ls ${nth}`, artifact_type: 'shell_command' },
          headers,
        )
      const answers = await Promise.all(Array.from({ length: 50 }, (_, nth) => ask(nth)))
      const statuses = answers.map(({ status }) => status).sort()
      expect(statuses).toEqual([...Array(17).fill(200), ...Array(33).fill(402)])
      for (const { status, body } of answers)
        if (status === 402) expect(body).toMatchObject({ reason: 'balance_too_low' })
      for (const shop of [one, two])
        expect((await shop.get('/balance', headers)).body).toMatchObject({ balance_sats: 150, held_sats: 0 })
      const { body } = await two.get('/balance/statement', headers)
      expect((body.lines as { kind: string }[]).filter(({ kind }) => kind === 'call')).toHaveLength(17)
      expect((await one.audit()).faults).toEqual([])
    } finally {
      await one.stop()
      await two.stop()
      for (const store of stores) await store.close().catch(() => undefined)
    }
  })
})
