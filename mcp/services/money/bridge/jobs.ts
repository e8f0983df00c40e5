import { job } from '../../../kernel/job.ts'
import { bridge } from './port.ts'

/** Brings open transfers on, whatever became of the calls that started them. */
export const followTransfers = job({
  name: 'bridge-follow',
  every: 5,
  timeout: 60,
  needs: ['store', bridge],
}).run(async ({ bridge, signal }) => {
  const { advanceDue } = await import('./follow.ts')
  await advanceDue(bridge, signal)
})

/** Fails while a transfer is late, which the log and /readyz show. */
export const watchTransfers = job({ name: 'bridge-late', every: 300, needs: ['store', bridge] }).run(
  async ({ bridge }) => {
    const { requireNoneLate } = await import('./follow.ts')
    await requireNoneLate(bridge)
  },
)
