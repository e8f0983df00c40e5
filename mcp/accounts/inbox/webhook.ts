import { createHmac, randomBytes } from 'node:crypto'
import { collection } from '../../kernel/collection.ts'
import { ToolError } from '../../kernel/error.ts'
import { inboxEvents } from '../../kernel/inbox.ts'
import { job } from '../../kernel/job.ts'
import type { Clock } from '../../ports/clock/port.ts'
import type { Fetch } from '../../ports/fetch/port.ts'
import type { Keys } from '../../ports/keys/port.ts'
import type { Json, Store, Tx } from '../../ports/store/port.ts'
import type { AccountPart } from '../deps.ts'
import { dropMark, findLast, findMark, type PublicEvent, readInbox, toPublicEvent } from './events.ts'

/** Where events of a person are sent, one address for each account. */
export type Webhook = {
  /** The account. */
  id: string
  url: string
  /** What its secret is derived from, with the pepper of the installation. */
  nonce: string
  /** Number of the last event that is dealt with. */
  at: number
  tries: number
  next_at: string
  /** Until then one worker sends, and nobody else. */
  lease: string | null
  /** Why the last try did not go. */
  problem: string | null
  created_at: string
}

/** An event that could not be delivered. */
export type DeadLetter = { id: string; account: string; event: number; problem: string; at: string }

const webhooksIn = collection<Webhook>({
  name: 'accounts.webhooks',
  indexes: [{ name: 'due', fields: ['next_at'] }],
  bounded: 'One for each account of a person.',
})

const deadLettersIn = collection<DeadLetter>({
  name: 'accounts.dead_letters',
  indexes: [{ name: 'account', fields: ['account', 'event'] }],
  bounded: 'A hundred for each account with a webhook; the oldest goes as one more comes.',
})

const maxDeadLetters = 100
const maxTries = 8
const leaseMs = 120_000
const idleMs = 10_000
const deadlineMs = 10_000
const eventsEach = 20

/** Half a minute to an hour. */
const pauseMs = (tries: number): number => Math.min(3_600_000, 30_000 * 2 ** (tries - 1))

type Deps = { store: Store; clock: Clock; keys: Keys; fetch: Fetch }

const later = (clock: Clock, ms: number): string => new Date(clock.now().getTime() + ms).toISOString()

/** The secret of a webhook, and the one before it while the pepper is rotated. */
const toSecrets = (keys: Keys, { id, nonce }: Pick<Webhook, 'id' | 'nonce'>): Buffer[] =>
  keys.hashes(`webhook ${id} ${nonce}`).map(hash => Buffer.from(hash, 'base64url'))

/** The webhook of an account, with the secret that its owner verifies signatures with. */
export const findWebhook = async (
  { store, keys }: Pick<Deps, 'store' | 'keys'>,
  account: string,
): Promise<(Webhook & { secret: string }) | undefined> => {
  const row = await webhooksIn(store).get(account)
  return row && { ...row, secret: `whsec_${toSecrets(keys, row)[0]?.toString('base64')}` }
}

const refuseUrl = (message: string, cause?: unknown): ToolError =>
  new ToolError('invalid_input', `url: ${message}.`, { issues: [{ path: 'url', message }], cause })

/** Sends what happens from now on to an address. A new address has a new secret. Throws `invalid_input` for one that is not public https. */
export const setWebhook = async (deps: Deps, account: string, text: string): Promise<void> => {
  const { store, clock, fetch } = deps
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined
  if (url?.protocol !== 'https:' || url.username !== '' || url.href.length > 500)
    throw refuseUrl('an https address of 500 characters at most is needed, without a name in it')
  try {
    fetch.check?.(url.href)
  } catch (cause) {
    throw refuseUrl('is not a public address', cause)
  }
  const at = await findLast(store, account, await findMark(store, account))
  const now = clock.now().toISOString()
  await webhooksIn(store).put({
    id: account,
    url: url.href,
    nonce: randomBytes(16).toString('base64url'),
    at,
    tries: 0,
    next_at: now,
    lease: null,
    problem: null,
    created_at: now,
  })
}

export const removeWebhook = ({ store }: Pick<Deps, 'store'>, account: string): Promise<boolean> =>
  webhooksIn(store).delete(account)

/** Events that could not be delivered, the newest first. */
export const listDeadLetters = async (tx: Pick<Tx, 'collection'>, account: string): Promise<DeadLetter[]> => {
  const query = { index: 'account', where: { account }, order: 'desc' as const, limit: maxDeadLetters }
  return (await deadLettersIn(tx).find(query)).rows
}

/** Signs as Standard Webhooks says: `v1,` and the HMAC-SHA256 over id, time and body. */
const sign = (secret: Buffer, id: string, seconds: number, body: string): string =>
  `v1,${createHmac('sha256', secret).update(`${id}.${seconds}.${body}`).digest('base64')}`

/** Sends one event. Throws a ToolError in words for the owner where it was not taken. */
const post = async ({ clock, keys, fetch }: Deps, hook: Webhook, event: PublicEvent): Promise<void> => {
  const body = JSON.stringify(event)
  const id = `${hook.id}_${event.id}`
  const seconds = Math.floor(clock.now().getTime() / 1000)
  const { status } = await fetch(hook.url, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(seconds),
      'webhook-signature': toSecrets(keys, hook)
        .map(secret => sign(secret, id, seconds, body))
        .join(' '),
    },
    maxRedirects: 0,
    maxBytes: 1024,
    deadlineMs,
    fresh: true,
  })
  if (status < 200 || status > 299) throw new ToolError('upstream', `It answered ${status}.`)
}

const addDeadLetter = async (tx: Tx, account: string, event: number, problem: string, at: string) => {
  const id = `${account} ${String(event).padStart(15, '0')}`
  await deadLettersIn(tx).put({ id, account, event, problem, at })
  const { rows } = await deadLettersIn(tx).find({
    index: 'account',
    where: { account },
    limit: maxDeadLetters + 1,
  })
  for (const row of rows.slice(0, Math.max(0, rows.length - maxDeadLetters)))
    await deadLettersIn(tx).delete(row.id)
}

/** Takes a webhook that is due and that nobody works on. */
const begin = ({ store, clock }: Deps, account: string): Promise<Webhook | undefined> =>
  store.transaction(async tx => {
    const hook = await webhooksIn(tx).get(account)
    const now = clock.now().toISOString()
    if (!hook || hook.next_at > now || (hook.lease !== null && hook.lease > now)) return undefined
    const next = { ...hook, lease: later(clock, leaseMs) }
    await webhooksIn(tx).put(next)
    return next
  })

type Progress = Pick<Webhook, 'at' | 'tries' | 'next_at' | 'problem'>

/** Writes down what became of a try, unless the address was changed or removed meanwhile. */
const save = (
  { store }: Deps,
  hook: Webhook,
  progress: Progress,
  dead?: { event: number; problem: string; at: string },
): Promise<void> =>
  store.transaction(async tx => {
    const row = await webhooksIn(tx).get(hook.id)
    if (row?.nonce !== hook.nonce || row.lease !== hook.lease) return
    await webhooksIn(tx).put({ ...row, ...progress, lease: null })
    if (dead) await addDeadLetter(tx, hook.id, dead.event, dead.problem, dead.at)
  })

/** Sends what an account has not been told yet, in order, at least once each. What is refused eight times becomes a dead letter. */
export const sendEvents = async (deps: Deps, account: string): Promise<void> => {
  const hook = await begin(deps, account)
  if (!hook) return
  const { store, clock } = deps
  const until = Date.parse(hook.lease ?? '') - 2 * deadlineMs
  const { events, more } = await readInbox(store, account, { after: hook.at, limit: eventsEach })
  let { at, tries } = hook
  for (const event of events) {
    if (clock.now().getTime() > until) break
    const failure = await post(deps, hook, event).then(
      () => undefined,
      (cause: unknown) =>
        (cause instanceof ToolError ? cause.message : 'It could not be reached.').slice(0, 200),
    )
    if (failure === undefined) {
      at = Number(event.id)
      tries = 0
      continue
    }
    tries++
    const isDead = tries >= maxTries
    const progress = { at: isDead ? Number(event.id) : at, tries: isDead ? 0 : tries, problem: failure }
    const next_at = isDead ? clock.now().toISOString() : later(clock, pauseMs(tries))
    const dead = { event: Number(event.id), problem: failure, at: clock.now().toISOString() }
    return save(deps, hook, { ...progress, next_at }, isDead ? dead : undefined)
  }
  await save(deps, hook, {
    at,
    tries,
    problem: null,
    next_at: more ? clock.now().toISOString() : later(clock, idleMs),
  })
}

/** Sends a dead letter once more; it goes where it is taken. Throws `not_found` for one that is not there, `upstream` where it is refused again. */
export const resendDeadLetter = async (deps: Deps, account: string, id: string): Promise<void> => {
  const { store } = deps
  const letter = await deadLettersIn(store).get(id)
  const hook = await webhooksIn(store).get(account)
  if (letter?.account !== account || !hook)
    throw new ToolError('not_found', 'There is no such event to send again.')
  const [entry] = await store.read(inboxEvents.toName(account), letter.event - 1, 1)
  if (entry?.at === letter.event) await post(deps, hook, toPublicEvent(entry))
  await deadLettersIn(store).delete(id)
}

/** Sends events to every address that is due. One that does not answer keeps the others waiting for seconds at most. */
export const sendInboxes = job({
  name: 'send-events',
  every: 10,
  timeout: 300,
  needs: ['store', 'clock', 'keys', 'fetch'],
}).run(async ({ signal, ...deps }) => {
  for (let after: string | undefined; ; ) {
    const where = { next_at: { lte: deps.clock.now().toISOString() } }
    const { rows, next } = await webhooksIn(deps.store).find({
      index: 'due',
      where,
      limit: 50,
      ...(after !== undefined && { after }),
    })
    await Promise.all(rows.map(({ id }) => (signal.aborted ? undefined : sendEvents(deps, id))))
    if (next === undefined || signal.aborted) return
    after = next
  }
})

/** Data of the inbox beside its log: part of the export, gone with the account. */
export const inboxPart = ({ store, keys }: { store: Store; keys: Keys }): AccountPart => ({
  name: 'inbox',
  async read(account) {
    const hook = await findWebhook({ store, keys }, account)
    const { events } = await readInbox(store, account, { after: 0, limit: 999 })
    const webhook = hook ? { url: hook.url, created_at: hook.created_at } : null
    const dead_letters = await listDeadLetters(store, account)
    return { events, read_up_to: await findMark(store, account), webhook, dead_letters } as unknown as Json
  },
  async remove(tx, account) {
    await dropMark(tx, account)
    await webhooksIn(tx).delete(account)
    for (const { id } of await listDeadLetters(tx, account)) await deadLettersIn(tx).delete(id)
  },
})
