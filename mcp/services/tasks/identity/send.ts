import { ToolError } from '../../../kernel/error.ts'
import { job } from '../../../kernel/job.ts'
import type { Clock } from '../../../ports/clock/port.ts'
import type { Store } from '../../../ports/store/port.ts'
import { type Feedback, feedbackIn } from './feedback.ts'
import { type AgentRegistries, agentRegistries } from './registries.ts'

type Deps = { store: Store; clock: Clock; agentRegistries: AgentRegistries }

const confirmMs = 20_000
const maxPauseMs = 3_600_000

const save = (store: Store, { id }: Feedback, patch: Partial<Feedback>) =>
  feedbackIn(store).update(id, row => (row.open ? { ...row, ...patch } : row))

/**
 * Says in the registry what the house was asked to say, once: each task has its own tag there, and what is there already is not said
 * again, wherever an earlier try broke off.
 */
export const sendFeedback = async (deps: Deps, row: Feedback): Promise<void> => {
  const { store, clock, agentRegistries: registries } = deps
  const { agent_id: agentId, score, task, endpoint, uri, hash } = row
  const isSaid = async (client: string) => (await registries.summary(agentId, [client], task)).count > 0
  try {
    const operator = await registries.operator()
    if (!(await isSaid(operator.address))) {
      const { reputation } = await registries.place()
      const data = await registries.feedbackCall({ agentId, score, task, endpoint, uri, hash })
      await operator.carry(
        {
          to: reputation,
          data,
          onSigned: async transaction => void (await save(store, row, { transaction: transaction.hash })),
        },
        confirmMs,
      )
    }
    if (await isSaid(operator.address)) await save(store, row, { state: 'done', open: false, problem: null })
    else await retryLater(deps, row, 'No block has it yet; it is tried again.')
  } catch (error) {
    const problem = error instanceof ToolError ? error.message : 'The registry refused it; it is tried again.'
    if (row.tries >= 20) await save(store, row, { state: 'refused', open: false, problem })
    else await retryLater({ ...deps, clock }, row, problem)
  }
}

const retryLater = async ({ store, clock }: Deps, row: Feedback, problem: string): Promise<void> => {
  const pause = Math.min(maxPauseMs, 2 ** Math.min(row.tries, 11) * 5000)
  const due = new Date(clock.now().getTime() + pause).toISOString()
  await save(store, row, { problem, tries: row.tries + 1, due })
}

/** Sends the feedback of the house that is due. */
export const sendFeedbackJob = job({
  name: 'send-feedback',
  every: 30,
  timeout: 300,
  needs: ['store', 'clock', agentRegistries],
}).run(async ({ signal, ...deps }) => {
  const where = { open: true, due: { lte: deps.clock.now().toISOString() } }
  const { rows } = await feedbackIn(deps.store).find({ index: 'due', where, limit: 100 })
  for (const row of rows) {
    if (signal.aborted) return
    await sendFeedback(deps, row)
  }
})
