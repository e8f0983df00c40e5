import { tool } from '../../kernel/tool.ts'
import { loadTaskAs } from './public-task.ts'
import { ratingFacts } from './rate-worker.ts'
import { rate, toPublicRating } from './reputation.ts'

export default tool({
  name: 'rate_publisher',
  title: 'Rate a publisher',
  keywords: ['client', 'review', 'stars', 'feedback', 'employer', 'bad'],
  description: 'Rates the publisher of a task that you worked on once, after it is over: 0 to 100. Free.',
  ...ratingFacts,
  rest: { routes: ['POST /api/v1/reputation/agents/rate'] },
}).run(({ commit, clock, caller: { id: by } }, { task_id, score, comment }) =>
  commit(async tx => {
    const task = await loadTaskAs(tx, task_id, by, 'assigned')
    return toPublicRating(await rate(tx, task, { side: 'publisher', by, score, comment, now: clock.now() }))
  }),
)
