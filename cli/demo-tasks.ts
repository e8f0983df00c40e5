import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PrivateKeyAccount } from 'viem'
import { ToolError } from '../mcp/kernel/error.ts'
import { signRequest } from '../mcp/lib/erc8128/sign-request.ts'
import { openWalletWithoutEther } from './demo-wallet.ts'

type Fetch = (url: string, init?: RequestInit) => Promise<Response>

type Task = { task_id: string; payment: { bounty_usd: string; deposited_usd: string; released_usd: string } }
type Address = { file_id: string; upload_url: string; headers: Record<string, string> }
type Submission = { submission_id: string; findings: { check: string; result: string; detail: string }[] }
type Withdrawals = { withdrawals: { state: string; transaction: string | null }[] }

/** The outcome, for people and as JSON. */
export type TasksDemo = {
  task: string
  deposited: string
  findings: string[]
  released: string
  withdrawal: string | null
  wallet: string
}

/** A photo of one dot. */
const photo = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=',
  'base64',
)

const newTask = {
  title: 'Is the bakery on Main Street open?',
  instructions: 'Go there, take a photo of the door with its opening hours, and say if it is open.',
  category: 'physical_presence',
  bounty_usd: '5.00',
  deadline_hours: 24,
  evidence_required: ['photo', 'text_response'],
  deposit: 'now',
}

const readBody = async <T>(what: string, response: Response): Promise<T> => {
  const body = (await response.json()) as T & { detail?: string; hint?: string }
  if (response.ok) return body
  throw new ToolError('upstream', `${what}: ${body.detail ?? response.status}`, { hint: body.hint })
}

/** Calls the API as a wallet that signs each request; a payment is signed anew with the request that carries it. */
const openSide =
  (base: string, account: PrivateKeyAccount, send: Fetch = fetch) =>
  async <T>(method: 'GET' | 'POST', path: string, input?: object): Promise<T> => {
    const url = `${base}/api/v1${path}`
    const body = input === undefined ? undefined : JSON.stringify(input)
    const init: RequestInit = {
      method,
      headers: await signRequest(account, { method, url, ...(body !== undefined && { body }) }),
      ...(body !== undefined && { body }),
    }
    return readBody<T>(path, await send(url, init))
  }

/** The stock x402 client, whose second request gets a signature of its own: a nonce is good once. */
const openPayer = async (account: PrivateKeyAccount): Promise<Fetch> => {
  const { wrapFetchWithPayment, x402Client } = await import('@x402/fetch')
  const { ExactEvmScheme } = await import('@x402/evm/exact/client')
  const client = new x402Client()
    .register('eip155:*', new ExactEvmScheme(account))
    .setSpendControls({ maxAmountPerPayment: '$10' })
  const signing: Fetch = async (input, init) => {
    const request = new Request(input, init)
    const body = await request.text()
    const { method, url } = request
    const signed = await signRequest(account, { method, url, ...(body !== '' && { body }) })
    return fetch(url, {
      method,
      headers: { ...Object.fromEntries(request.headers), ...signed },
      ...(body !== '' && { body }),
    })
  }
  return wrapFetchWithPayment(signing as typeof fetch, client) as Fetch
}

const handIn = async (base: string, account: PrivateKeyAccount, task_id: string): Promise<Submission> => {
  const ask = openSide(base, account)
  const sha256 = createHash('sha256').update(photo).digest('hex')
  const promised = { task_id, sha256, bytes: photo.length, content_type: 'image/png' }
  const { file_id, upload_url, headers } = await ask<Address>('POST', '/evidence/presign-upload', promised)
  const upload = await fetch(upload_url, { method: 'PUT', headers, body: new Uint8Array(photo) })
  if (!upload.ok) await readBody('The upload', upload)
  const evidence = [
    { type: 'photo', file_id },
    { type: 'text_response', value: 'It is open until six.' },
  ]
  return ask('POST', `/tasks/${task_id}/submit`, { evidence })
}

const withdraw = async (base: string, account: PrivateKeyAccount): Promise<string | null> => {
  const ask = openSide(base, account)
  await ask('POST', '/payments/withdraw', {})
  for (let n = 0; n < 90; n++) {
    const { withdrawals } = await ask<Withdrawals>('GET', '/payments/withdrawals')
    const [last] = withdrawals
    if (last?.state === 'sent') return last.transaction
    await sleep(1000)
  }
  throw new ToolError('upstream', 'The withdrawal was not sent within 90 seconds.')
}

/** Publishes a task with a funded wallet, does it with another one, and pays for it, on a local chain. */
export const runTasksDemo = async (
  base: string,
  rpc: string,
  key: `0x${string}`,
  balance: (account: string) => Promise<string>,
  report: (line: string) => void,
): Promise<TasksDemo> => {
  const { generatePrivateKey, privateKeyToAccount } = await import('viem/accounts')
  const publisher = await openWalletWithoutEther(rpc, key)
  const worker = privateKeyToAccount(generatePrivateKey())
  report(`publisher ${publisher.address} holds ${await balance(publisher.address)}`)
  report(`worker    ${worker.address} holds ${await balance(worker.address)}`)
  const asPublisher = openSide(base, publisher)
  const asWorker = openSide(base, worker)
  const publish = openSide(base, publisher, await openPayer(publisher))
  const { task_id, payment } = await publish<Task>('POST', '/tasks', newTask)
  report(`publish   ${task_id}: ${payment.deposited_usd} USDC into escrow, bounty and fee, by x402`)
  await asWorker('POST', '/workers/register', { kind: 'human', name: 'Ada' })
  await asWorker('POST', `/tasks/${task_id}/apply`, { message: 'I live next door.' })
  report('apply     the worker applies; each request is signed by its wallet, and no account was made')
  const executor_id = `eip155:8453:${worker.address.toLowerCase()}`
  await asPublisher('POST', `/tasks/${task_id}/assign`, { executor_id })
  await asWorker('POST', `/tasks/${task_id}/start`, {})
  report('assign    the publisher picks the worker, who starts')
  const { submission_id, findings } = await handIn(base, worker, task_id)
  const summary = findings.map(({ check, result }) => `${check}: ${result}`)
  report(`submit    a photo and a text; what a look at them shows: ${summary.join(', ') || 'nothing'}`)
  await asPublisher('POST', `/submissions/${submission_id}/approve`, {
    notes: 'Thank you.',
    rating_score: 95,
  })
  const after = await asWorker<Task>('GET', `/tasks/${task_id}`)
  report(`approve   ${after.payment.released_usd} USD released to the worker`)
  const withdrawal = await withdraw(base, worker)
  report(`withdraw  sent to the worker's wallet: ${withdrawal}`)
  const wallet = await balance(worker.address)
  report(`worker    ${worker.address} holds ${wallet}`)
  return {
    task: task_id,
    deposited: payment.deposited_usd,
    findings: summary,
    released: after.payment.released_usd,
    withdrawal,
    wallet,
  }
}
