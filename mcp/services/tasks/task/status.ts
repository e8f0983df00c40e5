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
