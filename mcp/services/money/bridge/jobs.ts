import { job } from '../../../kernel/job.ts'
import type { Bridge } from './bridge.ts'
import { bridge } from './port.ts'
import { transfersIn } from './transfer.ts'

/** Nothing is loaded while there is nothing to look at. */
const hasOpen = async ({ store }: Bridge): Promise<boolean> =>
  (await transfersIn(store).count({ index: 'due', where: { open: true } })) > 0

/** Brings open transfers on, whatever became of the calls that started them. */
export const followTransfers = job({
  name: 'bridge-follow',
  every: 5,
  timeout: 60,
  needs: ['store', bridge],
}).run(async ({ bridge, signal }) => {
  if (!(await hasOpen(bridge))) return
  const { advanceDue } = await import('./follow.ts')
  await advanceDue(bridge, signal)
})

/** Fails while a transfer is late, which the log and /readyz show. */
export const watchTransfers = job({ name: 'bridge-late', every: 300, needs: ['store', bridge] }).run(
  async ({ bridge }) => {
    if (!(await hasOpen(bridge))) return
    const { requireNoneLate } = await import('./follow.ts')
    await requireNoneLate(bridge)
  },
)
