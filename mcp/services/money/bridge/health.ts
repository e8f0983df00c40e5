import { z } from 'zod'
import type { Bridge } from './bridge.ts'
import type { BridgeRoute } from './chains.ts'
import { type BridgeTransfer, isLate, transfersIn } from './transfer.ts'

export const HealthFields = z
  .object({
    state: z
      .enum(['ok', 'late', 'idle'])
      .describe('late: a transfer takes more than 30 minutes now; idle: there was none yet'),
    last_success_at: z.string().nullable().describe('When the last transfer arrived, ISO 8601'),
    p50_seconds: z
      .number()
      .nullable()
      .describe('Seconds from payment to arrival, half of the last 50 were faster'),
    open: z.number().int().describe('Transfers on their way'),
  })
  .describe('How the route has done lately')

export type BridgeHealth = z.output<typeof HealthFields>

const seconds = ({ created, mintedAt }: BridgeTransfer): number =>
  (Date.parse(mintedAt ?? created) - Date.parse(created)) / 1000

const openStates = ['paid', 'burned', 'attested', 'forward_failed', 'self_relay', 'stuck'] as const

/** Reads how a route has done from its last transfers. */
export const readHealth = async (
  { store, now }: Bridge,
  { name: route }: BridgeRoute,
): Promise<BridgeHealth> => {
  const transfers = transfersIn(store)
  const [minted, ...open] = await Promise.all([
    transfers.find({ index: 'route', where: { route, state: 'minted' }, order: 'desc', limit: 50 }),
    ...openStates.map(state => transfers.find({ index: 'route', where: { route, state }, limit: 100 })),
  ])
  const times = minted.rows.map(seconds).sort((one, other) => one - other)
  const median = times[times.length >> 1]
  const underWay = open.flatMap(({ rows }) => rows)
  const late = underWay.some(row => isLate(row, now()))
  return {
    state: late ? 'late' : times.length === 0 ? 'idle' : 'ok',
    last_success_at: minted.rows[0]?.mintedAt ?? null,
    p50_seconds: median === undefined ? null : Math.round(median * 10) / 10,
    open: underWay.length,
  }
}
