import { type Html, html } from '../../../lib/text/html.ts'
import type { WorkerOut } from '../worker.ts'
import { dataTable, factList, personLink, timeText, toPercent } from './facts.ts'
import { drawRefusal, page } from './page.ts'

export type Person = (typeof WorkerOut)['_output'] & {
  badges: { badge: string; publisher_id: string; at: string }[]
}

export type Reputation = {
  agent_id: string | null
  onchain: { count: number; mean: string | null; clients: number } | null
}

/** What became of a person's work and tasks; `onChain` is what the registry of agents has of it. */
export const recordFacts = (person: Person, { agent_id, onchain }: Reputation): Html =>
  factList([
    ['Reputation', `${person.reputation.score} of 100 (${person.reputation.tier})`],
    ['Completed', person.completed],
    ['On time', toPercent(person.on_time_rate)],
    ['Approved', toPercent(person.approval_rate)],
    ['Rating', person.avg_rating],
    ['Given up', person.abandoned > 0 && person.abandoned],
    ['Disputes lost', person.disputes_lost > 0 && person.disputes_lost],
    ['Badges', person.badges.map(({ badge }) => badge).join(', ') || null],
    ['Earned', `${person.earned_usd} USD`],
    ['Tasks published', person.published > 0 && person.published],
    ['Rating as a publisher', person.publisher_avg_rating],
    ['On the chain', agent_id !== null && `agent ${agent_id} of the identity registry (ERC-8004)`],
    [
      'Said there',
      onchain !== null &&
        (onchain.mean === null
          ? 'nothing yet'
          : `${onchain.mean} of 100, by ${onchain.count} of ${onchain.clients} who may say so`),
    ],
  ])

/** Those who work here, the best first. */
export const peoplePage = page(
  {
    name: 'work_people_page',
    title: 'Who works here, for people',
    description: 'A page that lists workers by reputation, the best first. Free.',
    path: '/work/people',
  },
  async ({ base, call }) => {
    const { workers } = (await call('leaderboard', { limit: 50 })) as unknown as {
      workers: { executor_id: string; completed: number; reputation: Person['reputation'] }[]
    }
    const people = await Promise.all(
      workers.map(
        ({ executor_id }) => call('get_worker', { executor_id }) as Promise<unknown> as Promise<Person>,
      ),
    )
    return {
      title: 'Who works here',
      body: html`<h1>Who works here</h1>
<p>By reputation: it comes from paid work, its reviews and ratings, and fades with time.</p>
${
  people.length === 0
    ? html`<p>Nobody has been paid yet. <a href="${base}/work">Be the first</a>.</p>`
    : dataTable(
        'Workers, the best first',
        ['Who', 'Reputation', 'Done', 'On time', 'Skills'],
        people.map(person => [
          personLink(base, person.executor_id, person.name),
          `${person.reputation.score} (${person.reputation.tier})`,
          String(person.completed),
          toPercent(person.on_time_rate),
          person.skills.join(', ') || '–',
        ]),
      )
}`,
    }
  },
)

/** The profile of one account: the same for whoever reads it. */
export const personPage = page(
  {
    name: 'work_person_page',
    title: 'A profile, for people',
    description: 'A page that shows what an account has done here, and what the chain has of it. Free.',
    path: '/work/people/:executor_id',
  },
  async ({ base, call, params, now }) => {
    try {
      const executor_id = params.executor_id ?? ''
      const [worker, reputation] = await Promise.all([
        call('get_worker', { executor_id }),
        call('get_reputation', { executor_id }),
      ])
      const person = worker as unknown as Person
      return {
        title: person.name ?? 'A profile',
        body: html`<h1>${person.name ?? 'Somebody without a name'}</h1>
<p class="facts">${person.executor_id}${person.kind !== null && ` · ${person.kind}`}</p>
${person.bio !== null && html`<p class="words">${person.bio}</p>`}
${factList([['Skills', person.skills.join(', ') || null]])}
<h2>What became of the work</h2>
${recordFacts(person, reputation as unknown as Reputation)}
${
  person.badges.length > 0 &&
  html`<h2>Badges</h2>${dataTable(
    'Badges',
    ['Badge', 'Of', 'Since'],
    person.badges.map(({ badge, publisher_id, at }) => [
      badge,
      personLink(base, publisher_id),
      timeText(at, now),
    ]),
  )}`
}
<p><a href="${base}/work?publisher_id=${person.executor_id}">Open tasks of this account</a> · <a href="${base}/work/people">Who works here</a></p>`,
      }
    } catch (error) {
      return drawRefusal(
        error,
        'Nobody by this name',
        html`<p><a href="${base}/work/people">Who works here</a></p>`,
      )
    }
  },
)
