import { job } from '../../../kernel/job.ts'
import { operationsIn, quotesIn } from './records.ts'
import { solanaSponsor } from './solana/sponsor.ts'
import { sponsorChains } from './sponsor-chains.ts'

/** Goes on with operations that a process left behind, and turns what was not carried out into credits. */
export const gasResume = job({
  name: 'gas-resume',
  every: 15,
  timeout: 60,
  needs: ['store', 'clock', sponsorChains],
}).run(async ({ store, clock, sponsorChains: chains, signal }) => {
  // Nothing is loaded while there is nothing to look at.
  if ((await operationsIn(store).count({ index: 'due', where: { due: { gt: '' } } })) === 0) return
  const { resumeDue } = await import('./submission.ts')
  await resumeDue({ store, clock, chains }, signal)
})

/** Goes on with transactions on Solana that no block has yet. */
export const solanaFollow = job({
  name: 'gas-solana-follow',
  every: 15,
  timeout: 60,
  needs: ['store', 'clock', solanaSponsor],
}).run(async ({ store, clock, solanaSponsor: sponsor, signal }) => {
  const { followDue, solanaRowsIn } = await import('./solana/sponsorship.ts')
  // Nothing is opened, and no local cluster started, while there is nothing to look at.
  if ((await solanaRowsIn(store).count({ index: 'due', where: { due: { gt: '' } } })) === 0) return
  await followDue({ store, clock, cluster: await sponsor.open() }, signal)
})

/** Drops quotes that nobody paid. */
export const gasSweep = job({ name: 'gas-sweep', every: 3_600, needs: ['store', 'clock'] }).run(
  async ({ store, clock, signal }) => {
    const quotes = quotesIn(store)
    const where = { expires: { lt: clock.now().toISOString() } }
    while (!signal.aborted) {
      const { rows } = await quotes.find({ index: 'expires', where, limit: 200 })
      if (rows.length === 0) return
      for (const { id } of rows) await quotes.delete(id)
    }
  },
)
