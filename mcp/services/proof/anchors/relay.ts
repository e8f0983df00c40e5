import type { Ports } from '../../../ports/ports.ts'
import type { NostrEvent } from '../proofs/verify/event.ts'

/** A relay's reply to an event; undefined where none came in time. */
export type RelayAnswer = { accepted: boolean; message: string } | undefined

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
export const publishOn = (
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
