import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { openLedger } from '../../../mcp/payment/ledger/index.ts'
import { withOwners } from '../../../mcp/ports/files/owners.ts'
import type { FileStorage } from '../../../mcp/ports/files/port.ts'
import type { Ports } from '../../../mcp/ports/ports.ts'
import { addPayment } from '../../../mcp/services/tasks/money.ts'
import tasks from '../../../mcp/services/tasks/service.ts'
import { openEmbedded } from '../../../store/embedded/open.ts'
import type { Store } from '../../../store/index.ts'
import { openTestApp } from '../../../testing.ts'
import { signRequest } from './signing.ts'

export type Answer = { status: number; body: Record<string, unknown>; headers: Headers }

/** A JSON answer with its status. */
export const readAnswer = async (response: Response): Promise<Answer> => ({
  status: response.status,
  body: (await response.json()) as Record<string, unknown>,
  headers: response.headers,
})

export const hallTask = {
  title: 'Is the bakery open?',
  instructions: 'Go there, look at the door, and say if it is open today.',
  category: 'physical_presence',
  bounty_usd: '5.00',
  deadline_hours: 24,
  evidence_required: ['photo_geo'],
  location_hint: 'Main Street 1, Springfield',
  location_lat: 39.7817,
  location_lng: -89.6501,
}

export const geo = { lat: 39.7817, lng: -89.6501 }

let n = 0
/** Each call comes from an address of its own, so that limits by the minute stay out of the way. */
export const somewhere = () => ({ 'x-forwarded-for': `203.0.113.${++n % 250}` })

/** Makes people who sign, each with a key for what cannot, at a marketplace that is served here. */
export const openPeople =
  (url: string, clock: { now(): Date }) =>
  async (key = generatePrivateKey()) => {
    const wallet = privateKeyToAccount(key)
    const id = `eip155:8453:${wallet.address.toLowerCase()}`
    const keyUrl = `${url}/api/v1/auth/keys`
    const created = Math.floor(clock.now().getTime() / 1000)
    const contentType = 'application/json'
    const signed = await signRequest(wallet, keyUrl, { method: 'POST', body: '{}', contentType, created })
    const made = await fetch(keyUrl, { method: 'POST', headers: { ...somewhere(), ...signed }, body: '{}' })
    const { api_key } = (await made.json()) as { api_key: string }
    const headers = { authorization: `Bearer ${api_key}` }
    const ask = async (tool: string, input: object = {}) =>
      readAnswer(
        await fetch(`${url}/tools/${tool}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...somewhere(), ...headers },
          body: JSON.stringify(input),
        }),
      )
    /** The answer of a call that must succeed. */
    const get = async (tool: string, input: object = {}): Promise<Record<string, string>> => {
      const { status, body } = await ask(tool, input)
      if (status >= 300) throw new Error(`${tool}: ${status} ${JSON.stringify(body)}`)
      return body as Record<string, string>
    }
    return { id, key, wallet, headers, ask, get }
  }

/** The marketplace served over HTTP on a store that the test can reach, and people who sign. `later` moves its clock. */
export const openHall = async (
  options: {
    environment?: Record<string, string>
    ports?: Partial<Ports>
    store?: Store
    /** Where the bytes of files lie. Default: a folder. */
    storage?: FileStorage
  } = {},
) => {
  let shift = 0
  const clock = { now: () => new Date(Date.now() + shift) }
  const dir = await mkdtemp(join(tmpdir(), 'octagent-hall-'))
  const store = options.store ?? (await openEmbedded({ dir, now: () => clock.now() }))
  const app = await openTestApp({
    services: [tasks],
    ports: {
      store,
      clock,
      ...(options.storage && {
        files: withOwners(options.storage, { store, clock, maxBytes: 1_000_000_000 }),
      }),
      ...options.ports,
    },
    environment: {
      OCTAGENT_DEVNET: 'false',
      TRUST_PROXY: '1',
      OCTAGENT_RATE_LIMIT: '1000000',
      TASKS_ARBITERS: arbiter.id,
      ...options.environment,
    },
  })
  const ledger = openLedger(clock.now)
  const url = `${app.url}/tasks`

  const person = openPeople(url, clock)

  const fund = (account: string, micro: bigint) =>
    store.transaction(tx => addPayment(tx, ledger, { receipt: `hall-${++n}`, account, amount: micro }))

  /** A task that is under way between two new people. */
  const taskUnderWay = async (more: object = {}, state: 'accepted' | 'in_progress' = 'in_progress') => {
    const [publisher, worker] = await Promise.all([person(), person()])
    await fund(publisher.id, 20_000_000n)
    const { task_id = '' } = await publisher.get('publish_task', { ...hallTask, ...more })
    await worker.get('register_worker', { kind: 'human', name: 'Ada' })
    await worker.get('apply_to_task', { task_id })
    await publisher.get('assign_worker', { task_id, executor_id: worker.id })
    if (state === 'in_progress') await worker.get('start_work', { task_id })
    return { publisher, worker, task_id }
  }

  return {
    url,
    site: app.url,
    store,
    clock,
    person,
    fund,
    taskUnderWay,
    later: (ms: number) => {
      shift += ms
    },
    async stop() {
      await app.close()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

export type Hall = Awaited<ReturnType<typeof openHall>>
export type Person = Awaited<ReturnType<ReturnType<typeof openPeople>>>

const arbiterKey = `0x${'a1'.repeat(32)}` as const

/** Who decides disputes. */
export const arbiter = {
  key: arbiterKey,
  id: `eip155:8453:${privateKeyToAccount(arbiterKey).address.toLowerCase()}`,
}

export const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** Asks for an address, and sends the bytes to it. */
export const upload = async (
  worker: Person,
  task_id: string,
  bytes: Buffer,
  content_type = 'image/jpeg',
): Promise<{ file_id: string; answer: Answer | Response }> => {
  const address = await worker.get('presign_upload', {
    task_id,
    sha256: hashOf(bytes),
    bytes: bytes.length,
    content_type,
  })
  const { file_id = '', upload_url = '' } = address
  const response = await fetch(upload_url, {
    method: 'PUT',
    headers: address.headers as unknown as Record<string, string>,
    body: new Uint8Array(bytes),
  })
  return {
    file_id,
    answer: response.headers.get('content-type')?.includes('json') ? await readAnswer(response) : response,
  }
}

/** The cookie of a browser that a wallet has signed in, by hand: no script runs. */
export const signInByHand = async (origin: string, wallet: Person['wallet']): Promise<string> => {
  const own = { origin }
  const send = (path: string, fields: Record<string, string>, cookie = '') =>
    fetch(origin + path, {
      method: 'POST',
      redirect: 'manual',
      headers: { ...own, cookie },
      body: new URLSearchParams(fields),
    })
  const asked = await send('/auth/wallet/message', {
    purpose: 'sign-in',
    address: wallet.address,
    chain_id: '8453',
    return: '/tasks/work/me',
  })
  const [browser = ''] = (asked.headers.get('set-cookie') ?? '').split(';')
  const page = await asked.text()
  const message = /<pre[^>]*>([\s\S]*?)<\/pre>/.exec(page)?.[1] ?? ''
  const id = /name="id" value="([^"]+)"/.exec(page)?.[1] ?? ''
  const signature = await wallet.signMessage({ message })
  const action = /<form[^>]*action="([^"]+)"/.exec(page)?.[1] ?? ''
  const proved = await send(action, { id, signature, return: '/tasks/work/me' }, browser)
  if (proved.status !== 303 || proved.headers.get('location') !== '/tasks/work/me')
    throw new Error(`no sign-in: ${proved.status}`)
  return (
    (proved.headers.getSetCookie().find(text => text.startsWith('octagent_session=')) ?? '').split(';')[0] ??
    ''
  )
}
