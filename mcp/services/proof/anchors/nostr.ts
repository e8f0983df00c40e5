import { job } from '../../../kernel/job.ts'
import type { Ports } from '../../../ports/ports.ts'
import { proofSettings } from '../config.ts'
import { transparencyLog } from '../ledger/log.ts'
import { signProofEvent } from '../proofs/issue.ts'
import { type EventPublication, publicationsIn, queuePublication } from '../proofs/publication.ts'
import type { NostrEvent } from '../proofs/verify/event.ts'
import { proofKind } from '../proofs/verify/proof.ts'
import { anchorsIn } from './anchor.ts'

/** A relay's reply to an event; undefined where none came in time. */
type RelayAnswer = { accepted: boolean; message: string } | undefined

const maxMessageLength = 200

const parseAnswer = (text: string): { id: string; answer: RelayAnswer } | undefined => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!Array.isArray(value) || value[0] !== 'OK' || typeof value[1] !== 'string') return undefined
  const message = typeof value[3] === 'string' ? value[3].slice(0, maxMessageLength) : ''
  return { id: value[1], answer: { accepted: value[2] === true, message } }
}

type Options = { signal: AbortSignal; ms: number }

/** Publishes events on a relay (NIP-01) over one connection, and waits for what it says of each. Throws never. */
const publishOn = (
  sockets: Ports['sockets'],
  url: string,
  events: readonly NostrEvent[],
  { signal, ms }: Options,
): Promise<Map<string, RelayAnswer>> =>
  new Promise(resolve => {
    const answers = new Map<string, RelayAnswer>()
    const open = new Set(events.map(({ id }) => id))
    const socket = sockets.keep(url, {
      onOpen(send) {
        for (const event of events) if (open.has(event.id)) send(JSON.stringify(['EVENT', event]))
      },
      onMessage(text) {
        const said = parseAnswer(text)
        if (!said || !open.delete(said.id)) return
        answers.set(said.id, said.answer)
        if (open.size === 0) finish()
      },
    })
    const finish = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', finish)
      socket.close()
      resolve(answers)
    }
    const timer = setTimeout(finish, ms)
    signal.addEventListener('abort', finish)
    if (signal.aborted || events.length === 0) finish()
  })

import canonicalize from 'canonicalize'

/** The newest checkpoint becomes an event for the relays, where it has grown since. */
export const announceCheckpoints = job({
  name: 'announce-checkpoints',
  every: 3600,
  timeout: 60,
  needs: ['store', 'clock', 'sign', transparencyLog, proofSettings.relays],
}).run(async ({ store, clock, sign, transparencyLog: log, relays }) => {
  await log.sync()
  const { size, root, note } = await log.checkpoint(log.size())
  const id = `nostr:${size}`
  if (await anchorsIn(store).get(id)) return
  const schema = 'octagent.checkpoint.v1'
  const content = canonicalize({ schema, origin: log.origin, size, root, checkpoint: note }) ?? ''
  const tags = [
    ['d', `octagent-checkpoint-${size}`],
    ['t', 'octagent'],
    ['schema', schema],
  ]
  const event = await signProofEvent({ sign, clock }, { kind: proofKind, tags, content })
  await store.transaction(async tx => {
    const isNew = await anchorsIn(tx).insert({
      id,
      kind: 'nostr',
      size,
      checkpoint: note,
      state: 'pending',
      created_at: clock.now().toISOString(),
      ots: null,
      bitcoin: [],
      event_id: event.id,
      relays: [],
    })
    if (isNew) await queuePublication(tx, event, { relays, isWanted: true, now: clock.now() })
  })
})

/** Runs after which an event that relays do not answer for is given up: a day of them. */
const maxTries = 1440

/** Refusals that pass by themselves (NIP-01). */
const isPassing = (message: string): boolean => /^(rate-limited|error):/.test(message)

/** A publication with what one relay said of it. */
const withAnswer = (publication: EventPublication, relay: string, answer: RelayAnswer): EventPublication => {
  if (!answer || (!answer.accepted && isPassing(answer.message))) return publication
  const pending = publication.pending.filter(url => url !== relay)
  return answer.accepted
    ? { ...publication, pending, accepted: [...publication.accepted, relay] }
    : { ...publication, pending, refused: { ...publication.refused, [relay]: answer.message } }
}

const finish = (publication: EventPublication): EventPublication => {
  const tries = publication.tries + 1
  if (publication.pending.length > 0 && tries < maxTries) return { ...publication, tries }
  return { ...publication, tries, state: publication.accepted.length > 0 ? 'done' : 'failed' }
}

/** Milliseconds that a relay has to answer for everything. */
const relayMs = 15_000

/** Hands what is queued to the relays that have not taken it yet. */
export const publishEvents = job({
  name: 'publish-events',
  every: 60,
  needs: ['store', 'sockets', proofSettings.relays],
}).run(async ({ store, sockets, relays, signal }) => {
  const { rows } = await publicationsIn(store).find({
    index: 'state',
    where: { state: 'queued' },
    limit: 100,
  })
  const said = await Promise.all(
    relays.map(async relay => {
      const events = rows.filter(({ pending }) => pending.includes(relay)).map(({ event }) => event)
      return [relay, await publishOn(sockets, relay, events, { signal, ms: relayMs })] as const
    }),
  )
  for (const row of rows) {
    // A relay that is configured no more is waited for no longer.
    const current = { ...row, pending: row.pending.filter(url => relays.includes(url)) }
    const published = finish(
      said.reduce((one, [relay, answers]) => withAnswer(one, relay, answers.get(row.id)), current),
    )
    await store.transaction(async tx => {
      await publicationsIn(tx).put(published)
      const { size } = readCheckpoint(row)
      if (size === undefined) return
      await anchorsIn(tx).update(`nostr:${size}`, anchor => ({
        ...anchor,
        relays: published.accepted,
        state:
          published.accepted.length > 0 ? 'anchored' : published.state === 'failed' ? 'failed' : 'pending',
      }))
    })
  }
})

/** The size of the checkpoint that an event of ours announces. */
const readCheckpoint = ({ event }: EventPublication): { size?: string } => {
  const [, size] = /^octagent-checkpoint-(\d+)$/.exec(event.tags[0]?.[1] ?? '') ?? []
  return size === undefined ? {} : { size }
}
