import { job } from '../../../kernel/job.ts'
import { depositsIn, escrowChain, stepsIn } from '../chain.ts'

/** Carries out on the chain what was decided, and sends back what was paid for nothing. */
export const carryEscrowSteps = job({
  name: 'carry-escrow-steps',
  every: 5,
  timeout: 300,
  needs: ['store', 'clock', escrowChain],
}).run(async ({ store, clock, escrowChain, signal }) => {
  // Nothing is opened, and no local chain started, while there is nothing to look at.
  const open = await stepsIn(store).count({ index: 'due', where: { open: true } })
  const quoted = await depositsIn(store).count({ index: 'state', where: { state: 'quoted' } })
  if (open + quoted === 0) return
  const { advanceDueSteps, returnOrphans } = await import('./carry.ts')
  const deps = { store, clock, escrowChain }
  await advanceDueSteps(deps, signal)
  await returnOrphans(deps, signal)
})
