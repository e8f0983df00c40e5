import { openChain } from '../../../mcp/ports/chain/chain.ts'
import { networks } from '../../../mcp/ports/chain/networks.ts'
import { advanceDueSteps } from '../../../mcp/services/tasks/chain/carry.ts'
import { type EscrowChain, stepsIn } from '../../../mcp/services/tasks/chain.ts'
import { openEmbedded } from '../../../store/embedded/open.ts'

/** What the parent tells this process: where its store and its node are. */
export type ChildOrders = { dir: string; rpc: string; operatorKey: `0x${string}`; aheadMs: number }

const orders = JSON.parse(process.env.ESCROW_CHILD ?? '{}') as ChildOrders
const clock = { aheadMs: orders.aheadMs, now: () => new Date(Date.now() + clock.aheadMs) }
const store = await openEmbedded({ dir: orders.dir })
const base = openChain({ network: networks.base, rpc: orders.rpc })

const escrowChain: EscrowChain = {
  confirmations: 1,
  place: () => Promise.reject(new Error('every step knows its contract')),
  reader: () => base.reader(),
  operator: () => base.wallet(orders.operatorKey),
}

const nobody = new AbortController().signal
for (let turn = 0; turn < 10; turn++) {
  await advanceDueSteps({ store, clock, escrowChain }, nobody)
  if ((await stepsIn(store).count({ index: 'due', where: { open: true } })) === 0) break
  clock.aheadMs += 60_000
}
await store.close()
process.exit(0)
