// Costs: readers of streams on two replicas over one PostgreSQL.
import { rm } from 'node:fs/promises'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeSigningKey } from '../../../mcp/ports/sign/sign.ts'
import { folder, type Running, serve } from '../../program/run.ts'
import { postgresIsHere, withDatabase } from '../../store/database.ts'
import { signRequest } from './signing.ts'

type Event = { id: number; event: string }

let calls = 0
const somewhere = () => ({
  'x-forwarded-for': `203.0.113.${++calls % 250}`,
  'content-type': 'application/json',
})

const openPerson = async (url: string) => {
  const keyUrl = `${url}/tasks/api/v1/auth/keys`
  const options = { method: 'POST', body: '{}', contentType: 'application/json' }
  const signed = await signRequest(privateKeyToAccount(generatePrivateKey()), keyUrl, options)
  const made = await fetch(keyUrl, { method: 'POST', headers: { ...somewhere(), ...signed }, body: '{}' })
  const { api_key } = (await made.json()) as { api_key: string }
  return { authorization: `Bearer ${api_key}` }
}

type Headers = Record<string, string>

const ask = async (url: string, headers: Headers, tool: string, input: object) => {
  const response = await fetch(`${url}/tasks/tools/${tool}`, {
    method: 'POST',
    headers: { ...somewhere(), ...headers },
    body: JSON.stringify(input),
  })
  const body = (await response.json()) as { task_id: string }
  if (!response.ok) throw new Error(`${tool}: ${JSON.stringify(body)}`)
  return body
}

const newTask = {
  title: 'Is the bakery open?',
  instructions: 'Go there, look at the door, and say if it is open.',
  category: 'physical_presence',
  bounty_usd: '0.50',
  deadline_hours: 24,
  evidence_required: ['text_response'],
}

/** Reads what one connection tells, as a client that is cut off does: whole events only. */
const follow = async (
  url: string,
  headers: Headers,
  task_id: string,
  after: number,
  onEvent: (event: Event) => void,
) => {
  const response = await fetch(`${url}/tasks/a2a/v1/stream`, {
    method: 'POST',
    headers: { ...somewhere(), ...headers, ...(after > 0 && { 'last-event-id': String(after) }) },
    body: JSON.stringify({ task_id }),
  })
  if (!response.ok) throw new Error(`${response.status}`)
  let text = ''
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  for (;;) {
    const chunk = await reader?.read()
    if (!chunk || chunk.done) return
    text += chunk.value
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const event = /^event: (.*)$/m.exec(block)?.[1]
      if (event !== undefined) onEvent({ id: Number(/^id: (\d+)$/m.exec(block)?.[1] ?? 0), event })
    }
  }
}

const kinds = [
  { name: 'one program that is restarted', replicas: 1, here: true },
  { name: 'two programs on one PostgreSQL', replicas: 2, here: postgresIsHere },
]

describe.each(kinds)('a task that is followed at $name', ({ replicas, here }) => {
  const database = withDatabase()
  const dirs = Array.from({ length: replicas }, folder)
  const running: Running[] = []
  const secrets = { OCTAGENT_PEPPER: 'p'.repeat(43), OCTAGENT_SIGNING_KEY: makeSigningKey() }

  const start = async (n: number) => {
    running[n] = await serve({
      ...secrets,
      ...(replicas > 1 && { DATABASE_URL: database() }),
      OCTAGENT_DATA: dirs[n] ?? '',
      OCTAGENT_DEVNET: 'false',
      OCTAGENT_RATE_LIMIT: '1000000',
      TRUST_PROXY: '1',
    })
  }
  const kill = async (n: number) => {
    running[n]?.child.kill('SIGKILL')
    await running[n]?.exit
  }
  const at = (n: number) => running[n % replicas]?.url ?? ''

  beforeAll(async () => {
    if (!here) return
    await Promise.all(dirs.map((_, n) => start(n)))
  })
  afterAll(async () => {
    for (const n of dirs.keys()) await kill(n)
    for (const dir of dirs) await rm(dir, { recursive: true, force: true })
  })

  test.runIf(here)(
    'tells each event once and in order, though servers are killed in the middle',
    async () => {
      const publisher = await openPerson(at(0))
      const { task_id } = await ask(at(0), publisher, 'publish_task', newTask)
      const events: Event[] = []
      let isOver = false
      const connections = new Set<number>()
      const listen = async () => {
        for (let n = 0; !isOver; n++) {
          const after = events.at(-1)?.id ?? 0
          await follow(at(n), publisher, task_id, after, event => {
            connections.add(n)
            isOver ||= event.event === 'stream.end'
            if (event.event !== 'stream.end') events.push(event)
          }).catch(() => new Promise(resolve => setTimeout(resolve, 50)))
        }
      }
      const listening = listen()
      const applications = 12
      for (let n = 0; n < applications; n++) {
        const worker = await openPerson(at(n))
        await ask(at(n), worker, 'register_worker', { kind: 'human', name: `Worker ${n}` })
        await ask(at(n), worker, 'apply_to_task', { task_id })
        if (n % 5 !== 2) continue
        const victim = (n / 5) & (replicas - 1)
        await kill(victim)
        await start(victim)
      }
      await ask(at(1), publisher, 'cancel_task', { task_id })
      await listening
      const expected = Array.from({ length: applications }, () => 'application.received')
      expect(events.map(({ event }) => event)).toEqual(['task.created', ...expected, 'task.status'])
      expect(events.map(({ id }) => id)).toEqual(events.map((_, n) => n + 1))
      expect(connections.size).toBeGreaterThan(1)

      // Whoever comes late, at any of them, gets the same.
      const again: Event[] = []
      await follow(at(1), publisher, task_id, 0, event => again.push(event))
      expect(again).toEqual([...events, { id: 0, event: 'stream.end' }])
      const stranger = await openPerson(at(0))
      await expect(follow(at(1), stranger, task_id, 0, () => undefined)).rejects.toThrow('410')
    },
  )
})
