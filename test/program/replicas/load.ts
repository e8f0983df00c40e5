import { setTimeout as pause } from 'node:timers/promises'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { signRequest } from '../../services/tasks/signing.ts'
import { callOnce, callTool, somewhere, Unknown } from './client.ts'

export type Load = {
  url: string
  isOver(): boolean
  /** Until when a call under a key is sent again. */
  until(): number
  done: Map<string, number>
}

type Work = (load: Load) => Promise<void>

const count = ({ done }: Load, what: string) => done.set(what, (done.get(what) ?? 0) + 1)

/** Runs `work` until the load is over; an outcome that nobody knows is counted and left. */
const repeat =
  (what: string, pauseMs: number, work: Work): Work =>
  async load => {
    while (!load.isOver()) {
      try {
        await work(load)
        count(load, what)
      } catch (error) {
        if (!(error instanceof Unknown)) throw error
        count(load, `${what}, outcome unknown`)
      }
      await pause(pauseMs)
    }
  }

const refused = (what: string, { status, body }: { status: number; body: object }) =>
  new Error(`${what}: ${status} ${JSON.stringify(body)}`)

/** Busy, or between two servers: to be told apart from a wrong answer. */
const passing = ({ status }: { status: number }): void => {
  if (status >= 500) throw new Unknown(String(status))
}

/** What the guest book must hold: names with the number they were told, names under a key, and names that may be there. */
export type Book = { told: Map<string, number>; open: Set<string> }

/** Signs the book, each time as somebody else; the day has room for 2,000. */
export const signer = (id: string, book: Book, max: number): Work => {
  let nth = 0
  return repeat('durable writes', 20, async load => {
    if (nth >= max) return void (await pause(200))
    const name = `${id}-${nth++}`
    book.open.add(name)
    const answer = await callTool(load.url, '/cat/api/sign', { name, note: '' })
    passing(answer)
    if (answer.status !== 200) throw refused('sign', answer)
    book.told.set(name, Number(answer.body.number))
    book.open.delete(name)
  })
}

/** Signs it under a key, again and again until it is told the number. */
export const keyedSigner = (id: string, book: Book, max: number): Work => {
  let nth = 0
  return repeat('writes under a key', 20, async load => {
    if (nth >= max) return void (await pause(200))
    const name = `${id}-${nth++}`
    book.open.add(name)
    const headers = { 'idempotency-key': name }
    const answer = await callOnce(load.url, '/cat/api/sign', { name, note: '' }, headers, load.until)
    if (!answer) return
    if (answer.status !== 200) throw refused('sign with a key', answer)
    book.told.set(name, Number(answer.body.number))
    book.open.delete(name)
  })
}

/** Reads the book: whatever somebody was told before the question must be in the answer. */
export const reader = (book: Book): Work =>
  repeat('reads', 5, async load => {
    const known = Math.max(0, ...book.told.values())
    const answer = await callTool(load.url, '/cat/tools/guestbook', { limit: 5 })
    passing(answer)
    if (answer.status !== 200) throw refused('guestbook', answer)
    if (Number(answer.body.count) < known)
      throw new Error(`the book had ${answer.body.count} signatures after number ${known} was told`)
  })

/** An account of the broker with what it spent: by key, what each call cost. */
export type Purse = {
  account: string
  key: string
  spent: Map<string, number>
  open: Map<string, number>
  listings: Set<string>
}

export const openPurse = async (url: string): Promise<Purse> => {
  const { status, body } = await callTool(url, '/broker/tools/register_account', { accepted_terms: true })
  if (status >= 300) throw refused('register_account', { status, body })
  return {
    account: String(body.account_id),
    key: String(body.api_key),
    spent: new Map(),
    open: new Map(),
    listings: new Set(),
  }
}

const listing = {
  listing_type: 'sell',
  body: 'Ten pages on agent markets, every Monday.',
  category: 'research',
  price_usd: 12.5,
  deliverables: ['One PDF a week'],
}

/** Pays for pages of the board and for listings, each under a key of its own. */
export const spender = (id: string, purse: Purse): Work => {
  let nth = 0
  return repeat('paid calls', 10, async load => {
    const key = `${id}-${nth++}`
    const isListing = nth % 5 === 0
    const cost = isListing ? 201 : 1
    const path = isListing ? '/broker/tools/post_listing' : '/broker/tools/browse_feed'
    const input = isListing ? { ...listing, title: `Briefing ${key}` } : { type: 'buy' }
    purse.open.set(key, cost)
    const headers = { 'x-api-key': purse.key, 'idempotency-key': key }
    const answer = await callOnce(load.url, path, input, headers, load.until)
    if (!answer) return
    if (answer.status >= 300) throw refused(path, answer)
    purse.open.delete(key)
    purse.spent.set(key, cost)
    if (isListing) purse.listings.add(String(answer.body.listing_id))
  })
}

export type Told = { at: number; kind: string; listing_id: string | null }

/** Waits for the events of an account, each time after the last that it has. */
export const waiter =
  (purse: Purse, told: Told[], isComplete: () => boolean): Work =>
  async load => {
    while (!load.isOver() || (!isComplete() && Date.now() < load.until())) {
      const since = told.at(-1)?.at ?? 0
      try {
        const headers = { 'x-api-key': purse.key }
        const answer = await callTool(load.url, '/broker/tools/wait_events', { since, wait: 2 }, headers)
        passing(answer)
        if (answer.status !== 200) throw refused('wait_events', answer)
        const { events } = answer.body as unknown as { events: Told[] }
        told.push(...events)
        if (events.length > 0) count(load, 'events by waiting')
      } catch (error) {
        if (!(error instanceof Unknown)) throw error
        count(load, 'events by waiting, begun again')
        await pause(50)
      }
    }
  }

type Person = Record<'authorization', string>

/** Somebody on the marketplace. The signature names the server that it is for, so this does not go through the door. */
export const openPerson = async (server: string): Promise<Person> => {
  const url = `${server}/tasks/api/v1/auth/keys`
  const signed = await signRequest(privateKeyToAccount(generatePrivateKey()), url, {
    method: 'POST',
    body: '{}',
    contentType: 'application/json',
  })
  const { body } = await callTool(server, '/tasks/api/v1/auth/keys', {}, signed)
  return { authorization: `Bearer ${body.api_key}` }
}

export const publishTask = async (url: string, publisher: Person): Promise<string> => {
  const answer = await callTool(
    url,
    '/tasks/tools/publish_task',
    {
      title: 'Is the bakery open?',
      instructions: 'Go there, look at the door, and say if it is open.',
      category: 'physical_presence',
      bounty_usd: '0.50',
      deadline_hours: 24,
      evidence_required: ['text_response'],
      deposit: 'later',
    },
    publisher,
  )
  if (answer.status >= 300) throw refused('publish_task', answer)
  return String(answer.body.task_id)
}

/** Applies to a task and takes it back, which the stream of the task tells of. */
export const applicant = (worker: Person, task_id: string, applied: string[]): Work =>
  repeat('applications', 1100, async load => {
    const answer = await callTool(load.url, '/tasks/tools/apply_to_task', { task_id }, worker)
    passing(answer)
    if (answer.status < 300) applied.push(String(answer.body.application_id))
    else if (answer.status !== 409 && answer.status !== 429) throw refused('apply_to_task', answer)
    passing(await callTool(load.url, '/tasks/tools/withdraw_application', { task_id }, worker))
  })

export type StreamEvent = { id: number; event: string }

/** Follows the stream of a task over as many connections as it takes, each after the last event of the one before. */
export const follower =
  (publisher: Person, task_id: string, heard: StreamEvent[]): Work =>
  async load => {
    for (let isEnded = false; !isEnded && Date.now() < load.until(); ) {
      const after = heard.at(-1)?.id ?? 0
      try {
        const response = await fetch(`${load.url}/tasks/a2a/v1/stream`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            'x-forwarded-for': somewhere(),
            ...publisher,
            ...(after > 0 && { 'last-event-id': String(after) }),
          },
          body: JSON.stringify({ task_id }),
        })
        if (!response.ok || !response.body) throw new Unknown(String(response.status))
        let text = ''
        for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
          text += chunk
          const blocks = text.split('\n\n')
          text = blocks.pop() ?? ''
          for (const block of blocks) {
            const event = /^event: (.*)$/m.exec(block)?.[1]
            isEnded ||= event === 'stream.end'
            if (event === undefined || event === 'stream.end') continue
            heard.push({ id: Number(/^id: (\d+)$/m.exec(block)?.[1] ?? 0), event })
            count(load, 'events of streams')
          }
        }
      } catch {
        // A cut connection, at whichever end, is what this is about.
      }
      if (!isEnded) count(load, 'streams begun again')
      await pause(50)
    }
  }

export type Admitted = { sent: number; answered: number; status: number }

/** One client that asks far more often than it may. */
export const pusher = (admitted: Admitted[]): Work =>
  repeat('calls at a limit', 40, async load => {
    const sent = Date.now()
    const headers = { 'x-forwarded-for': '192.0.2.1' }
    const answer = await callTool(load.url, '/broker/tools/preview_board', {}, headers)
    passing(answer)
    if (answer.status !== 200 && answer.status !== 429) throw refused('preview_board', answer)
    admitted.push({ sent, answered: Date.now(), status: answer.status })
  })

const askAgent = (url: string, method: string, params: object) =>
  callTool(url, '/cat/a2a', { jsonrpc: '2.0', id: 1, method, params }, { 'a2a-version': '1.0' })

type AgentTask = { id: string; status: { state: string } }

/** The state of a task of an agent, or what stands in its place. */
export const taskState = async (url: string, id: string): Promise<string> => {
  const { body } = await askAgent(url, 'GetTask', { id })
  const { result, error } = body as { result?: AgentTask; error?: unknown }
  return result?.status.state ?? `none: ${JSON.stringify(error)}`
}

/** Starts tasks at the agent without waiting, and asks for each of them right after. */
export const client = (tasks: string[]): Work =>
  repeat('tasks of agents', 50, async load => {
    const message = {
      messageId: `m-${Math.random()}`,
      role: 'ROLE_USER',
      parts: [{ data: { skill: 'pet' } }],
    }
    const answer = await askAgent(load.url, 'SendMessage', {
      message,
      configuration: { returnImmediately: true },
    })
    passing(answer)
    const { result, error } = answer.body as {
      result?: { task?: AgentTask }
      error?: { code: number; data?: unknown }
    }
    // A store that goes away for a moment is told of within JSON-RPC.
    if (error && error.code <= -31_500) throw new Unknown(String(error.code))
    const id = result?.task?.id
    if (id === undefined) throw refused('SendMessage', answer)
    tasks.push(id)
    const state = await taskState(load.url, id)
    if (state.startsWith('none')) throw new Error(`task ${id}: ${state}`)
  })
