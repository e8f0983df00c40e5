import { collection } from '../../kernel/collection.ts'
import { formatUsd } from '../../lib/usd.ts'
import type { ExecutorKind } from './account.ts'
import type { Category } from './category.ts'
import type { EvidenceType } from './evidence.ts'
import type { Funds } from './money.ts'
import { placeRow } from './place.ts'
import type { TaskTest } from './qualification.ts'

/** The nine states of a task. The last three are final. */
export const statuses = [
  'published',
  'accepted',
  'in_progress',
  'submitted',
  'verifying',
  'disputed',
  'completed',
  'expired',
  'cancelled',
] as const

export type Status = (typeof statuses)[number]

/** Roles in a task. A party is never its arbiter; `system` is the clock. */
export const roles = ['publisher', 'assigned', 'other', 'arbiter', 'system'] as const

export type Role = (typeof roles)[number]

/**
 * Who may move a task from where to where. Parties act before its state is due, the system once it is:
 * then what was published or begun expires, what was submitted is accepted, a rejection that nobody disputed stands, and a dispute
 * that nobody decided is split.
 */
const moves: Readonly<Record<Status, Readonly<Partial<Record<Status, readonly Role[]>>>>> = {
  published: { accepted: ['publisher'], cancelled: ['publisher'], expired: ['system'] },
  accepted: {
    published: ['assigned'],
    in_progress: ['assigned'],
    cancelled: ['publisher', 'assigned'],
    expired: ['system'],
  },
  in_progress: {
    published: ['assigned'],
    submitted: ['assigned'],
    cancelled: ['assigned'],
    expired: ['system'],
  },
  submitted: {
    verifying: ['publisher'],
    completed: ['publisher', 'system'],
    in_progress: ['publisher'],
    disputed: ['publisher'],
    published: ['assigned'],
    cancelled: ['assigned'],
  },
  verifying: {
    completed: ['publisher'],
    in_progress: ['publisher'],
    disputed: ['assigned'],
    expired: ['system'],
  },
  disputed: { completed: ['arbiter', 'system'], cancelled: ['arbiter'] },
  completed: {},
  expired: {},
  cancelled: {},
}

/** True when nothing moves it any more. */
export const isFinal = (status: Status): boolean => Object.keys(moves[status]).length === 0

/** True when a publisher may still change what it asks for: until work is handed in. */
export const canChange = (status: Status): boolean =>
  status === 'published' || status === 'accepted' || status === 'in_progress'

/** Lists a role's moves of a task from here. */
export const allowedMoves = (from: Status, role: Role): Status[] =>
  statuses.filter(to => moves[from][to]?.includes(role))

/** The system's move of a task that is due; undefined for one that is final. */
export const systemMove = (from: Status): Status | undefined => allowedMoves(from, 'system')[0]

/** The state as A2A 0.3 names it. */
export const a2aStates: Readonly<Record<Status, string>> = {
  published: 'submitted',
  accepted: 'working',
  in_progress: 'working',
  submitted: 'input-required',
  verifying: 'input-required',
  disputed: 'input-required',
  completed: 'completed',
  expired: 'failed',
  cancelled: 'canceled',
}

/** How near to its place a task is done. */
export const placeModes = ['strict', 'city', 'region', 'country', 'any'] as const

/** Place of a task: words, and a point with how far from it counts. */
export type Place = {
  hint: string | null
  lat: number | null
  lng: number | null
  radius_m: number
  mode: (typeof placeModes)[number]
}

/**
 * Where the money of a task lies until it is paid: in the books of the house, in a contract on Base, or with its publisher, who pays
 * each deliverable to the wallet of the worker.
 */
export const escrowKinds = ['ledger', 'onchain', 'direct'] as const

/**
 * Who decides a dispute. `manual`: an arbiter; undecided in time, it is split evenly. `auto`: nobody, at once, by what was found in
 * the evidence. `hybrid`: an arbiter; undecided in time, what was found decides.
 */
export const arbiterModes = ['manual', 'auto', 'hybrid'] as const

/** Terms a task asks and offers: fixed when it is published. */
export type Terms = {
  title: string
  instructions: string
  category: Category
  target_executor: ExecutorKind | 'any'
  evidence_required: readonly EvidenceType[]
  evidence_optional: readonly EvidenceType[]
  place: Place | null
  skills_required: readonly string[]
  min_reputation: number
  deadline: string
  /** The worker's share of the bounty when the publisher cancels after the assignment, in per cent. */
  kill_fee_percent: number
  arbiter_mode: (typeof arbiterModes)[number]
  escrow: (typeof escrowKinds)[number]
  /** How many may do it, each for the whole bounty; absent for one. */
  workers?: number
  /** Accounts that alone may apply; absent for everybody. */
  invited?: readonly string[]
  /** Badge of the publisher's that who applies must hold; absent for none. */
  badge?: string
  /** Test that who applies must pass; absent for none. */
  test?: TaskTest
}

export type Task = {
  /** `task_…` */
  id: string
  publisher: string
  terms: Terms
  /** Terms it was published with, where changed: what its history begins with. */
  first_terms?: Terms
  /** Which of a task that repeats it is; absent for one that does not. */
  series?: { id: string; number: number; count: number }
  /** Right answers of its test, which nobody reads: they are no part of the terms. */
  test_answers?: readonly (readonly string[])[]
  /** Known right answers, which only its publisher knows of; absent for none. */
  golden?: readonly string[]
  funds: Funds
  /** True when its money is in escrow; it cannot be assigned without. */
  funded: boolean
  status: Status
  /** When its state is over and the system moves it; null for a final one. */
  due: string | null
  ended: boolean
  /** Number and hash of the last entry of its history. */
  seq: number
  head: string
  worker: string | null
  /** Places for further workers, each with a bounty of its own in the escrow of this task; absent for none. */
  spare?: number
  /** The task that this place was split off from. */
  parent?: string
  /** Work may be submitted until then: the deadline, or later when it was sent back late. */
  work_until: string
  submission: string | null
  dispute: string | null
  /** How often work was sent back. */
  rounds: number
  /** Search fields while it can be applied to; null afterwards. */
  open: boolean
  open_category: string | null
  open_row: number | null
  open_fine_row: number | null
  open_lng: number | null
  /** Of a funded task; the words of another are in the next field, so that it is found after all that are funded. */
  open_words: string | null
  unfunded_words: string | null
  created_at: string
  /** When it came into each state, the first time. */
  reached: Partial<Record<Status, string>>
  first_application_at: string | null
  /** When the submission that waits for a review came. */
  submitted_at: string | null
}

export const tasksIn = collection<Task>({
  name: 'tasks.tasks',
  indexes: [
    { name: 'publisher', fields: ['publisher', 'created_at'] },
    { name: 'worker', fields: ['worker', 'created_at'] },
    { name: 'due', fields: ['ended', 'due'] },
    { name: 'open_funded', fields: ['open', 'funded', 'created_at'] },
    { name: 'category_funded', fields: ['open_category', 'funded', 'created_at'] },
    { name: 'place_funded', fields: ['open_row', 'funded', 'open_lng'] },
    { name: 'fine_place_funded', fields: ['open_fine_row', 'funded', 'open_lng'] },
    { name: 'words', fields: ['open_words'], words: true },
    { name: 'unfunded_words', fields: ['unfunded_words'], words: true },
  ],
  budget: {
    what: 'unfunded tasks',
    owner: ({ publisher }) => publisher,
    counts: ({ funded, funds }) => !funded && funds.released === '0',
    each: { rows: 2000, bytes: 8 << 20 },
    network: { rows: 4000, bytes: 16 << 20 },
    allBytes: 128 << 20,
    ends: 'One that nobody funds within a day ends, and is dropped 30 days later; a funded one does not count.',
  },
})

type OpenFields = Pick<
  Task,
  'open' | 'open_category' | 'open_row' | 'open_fine_row' | 'open_lng' | 'open_words' | 'unfunded_words'
>

/** Search fields of a task in a state. */
export const openFields = (
  status: Status,
  { funded, terms: { title, category, instructions, place } }: Pick<Task, 'funded' | 'terms'>,
): OpenFields => {
  if (status !== 'published')
    return {
      open: false,
      open_category: null,
      open_row: null,
      open_fine_row: null,
      open_lng: null,
      open_words: null,
      unfunded_words: null,
    }
  const words = [title, category.replaceAll('_', ' '), place?.hint ?? '', instructions.slice(0, 500)].join(
    ' ',
  )
  return {
    open: true,
    open_category: category,
    open_row: typeof place?.lat === 'number' ? placeRow(place.lat, 'coarse') : null,
    open_fine_row: typeof place?.lat === 'number' ? placeRow(place.lat, 'fine') : null,
    open_lng: place?.lng ?? null,
    open_words: funded ? words : null,
    unfunded_words: funded ? null : words,
  }
}

const hourMs = 3_600_000

/** How long an unreviewed submission waits until it counts as accepted. */
export const autoAcceptMs = 48 * hourMs

/** How often work may be sent back for more. */
export const maxRounds = 3

/** How long a rejection can be disputed, and a dispute decided, by the bounty in millionths of a dollar. */
export const disputeWindowMs = (bounty: bigint): number => {
  if (bounty < 5_000_000n) return 24 * hourMs
  if (bounty < 50_000_000n) return 7 * 24 * hourMs
  return (bounty < 200_000_000n ? 14 : 30) * 24 * hourMs
}

/** How long who gets work back has at least to do it again. */
export const reworkMs = 24 * hourMs

/** Hours that a task waits for a worker without money in escrow. */
export const unfundedHours = 24

/** Days after which a task is dropped that had neither money nor a worker. */
const unfundedDays = 30

/** When a state that begins now is over, and for a final one when the task is dropped; null where it stays. */
export const dueIn = (
  status: Status,
  {
    terms,
    work_until,
    funds,
    funded,
    worker,
    created_at,
  }: Pick<Task, 'terms' | 'work_until' | 'funds' | 'funded' | 'worker' | 'created_at'>,
  now: Date,
): string | null => {
  const later = (ms: number) => new Date(now.getTime() + ms).toISOString()
  switch (status) {
    case 'published': {
      const unfundedEnd = new Date(Date.parse(created_at) + unfundedHours * hourMs).toISOString()
      return funded || terms.deadline < unfundedEnd ? terms.deadline : unfundedEnd
    }
    case 'accepted':
      return terms.deadline
    case 'in_progress':
      return work_until
    case 'submitted':
      return later(autoAcceptMs)
    case 'disputed':
      return later(terms.arbiter_mode === 'auto' ? 0 : disputeWindowMs(BigInt(funds.bounty)))
    case 'verifying':
      return later(disputeWindowMs(BigInt(funds.bounty)))
    default:
      return !funded && worker === null ? later(unfundedDays * 24 * hourMs) : null
  }
}

/** A task once its money is in escrow. */
export const withEscrow = (task: Task, funds: Funds, now: Date): Task => {
  const funded: Task = { ...task, funds, funded: true }
  if (task.status !== 'published') return funded
  return { ...funded, ...openFields('published', funded), due: dueIn('published', funded, now) }
}

/** The terms that the first entry of a history holds the hash of: what was asked for, by whom, for how much. */
export const toHistoryTerms = ({
  id,
  publisher,
  terms,
  first_terms = terms,
  funds,
  created_at,
}: Pick<Task, 'id' | 'publisher' | 'terms' | 'first_terms' | 'funds' | 'created_at'>) => ({
  task_id: id,
  publisher,
  ...first_terms,
  bounty_usd: formatUsd(funds.bounty),
  fee_usd: formatUsd(funds.fee),
  created_at,
})
