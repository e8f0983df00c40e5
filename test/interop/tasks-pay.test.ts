import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { signRequest } from '../services/tasks/signing.ts'
import { type PaidApp, paying, startPaidApp } from './payer.ts'

const newTask = {
  title: 'Is the bakery open?',
  instructions: 'Go there, look at the door, and say if it is open.',
  category: 'physical_presence',
  bounty_usd: '0.40',
  deadline_hours: 24,
  evidence_required: ['text_response'],
}

type Body = Record<string, never>

/** The whole program with its jobs; the publisher's wallet pays with the stock client and its default spend controls. */
paying('the stock x402 client pays a worker of the task marketplace', () => {
  let app: PaidApp
  beforeAll(async () => {
    app = await startPaidApp()
  })
  afterAll(() => app.stop())

  const person = async (key = generatePrivateKey()) => {
    const account = privateKeyToAccount(key)
    const url = `${app.url}/tasks/api/v1/auth/keys`
    const signed = await signRequest(account, url, {
      method: 'POST',
      body: '{}',
      contentType: 'application/json',
    })
    const made = await fetch(url, { method: 'POST', headers: signed, body: '{}' })
    const { api_key } = (await made.json()) as Body
    const ask = (send: typeof fetch) => async (path: string, body: object) => {
      const response = await send(`${app.url}/tasks/api/v1${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      return { response, body: (await response.json()) as Body }
    }
    const id = `eip155:8453:${account.address.toLowerCase()}`
    return { id, address: account.address, ask: ask(fetch), pay: ask(app.demo.fetch as typeof fetch) }
  }

  const submitted = async (escrow: string) => {
    const [publisher, worker] = await Promise.all([person(app.demoKey), person()])
    const { task_id } = (await publisher.ask('/tasks', { ...newTask, escrow })).body
    await worker.ask('/workers/register', { kind: 'human', name: 'Ada' })
    await worker.ask(`/tasks/${task_id}/apply`, {})
    const assign = await publisher.pay(`/tasks/${task_id}/assign`, { executor_id: worker.id })
    expect(assign.response.status).toBe(200)
    await worker.ask(`/tasks/${task_id}/start`, {})
    const evidence = [{ type: 'text_response', value: 'It is open.' }]
    const { submission_id } = (await worker.ask(`/tasks/${task_id}/submit`, { evidence })).body
    return { publisher, worker, task_id, submission_id }
  }

  test('for one deliverable, to the wallet of the worker', async () => {
    const { publisher, worker, submission_id } = await submitted('direct')
    const path = `/submissions/${submission_id}/pay`
    const unpaid = await publisher.ask(path, { amount_usd: '0.15' })
    expect(app.demo.quoteIn(unpaid.response).accepts).toMatchObject([
      { scheme: 'exact', network: 'eip155:8453', amount: '150000', payTo: worker.address.toLowerCase() },
    ])
    const { response, body } = await publisher.pay(path, { amount_usd: '0.15' })
    const { transaction } = app.demo.receiptIn(response)
    expect(body).toMatchObject({ payments: [{ amount_usd: '0.15', transaction }] })
    expect(await app.holds(worker.address)).toBe(150_000n)

    const approved = await publisher.pay(`/submissions/${submission_id}/approve`, {})
    expect(approved.body).toMatchObject({ status: 'completed', payment: { released_usd: '0.40' } })
    expect(await app.holds(worker.address)).toBe(400_000n)
  })

  test('into escrow on the chain, from where the approval pays the worker', async () => {
    const { publisher, worker, task_id, submission_id } = await submitted('onchain')
    const approved = await publisher.ask(`/submissions/${submission_id}/approve`, {})
    expect(approved.body).toMatchObject({ status: 'completed', payment: { escrow: 'onchain' } })
    await vi.waitFor(async () => expect(await app.holds(worker.address)).toBe(400_000n), {
      timeout: 60_000,
      interval: 500,
    })
    const response = await fetch(`${app.url}/tasks/api/v1/tasks/${task_id}/payment`, {
      headers: await signRequest(
        privateKeyToAccount(app.demoKey),
        `${app.url}/tasks/api/v1/tasks/${task_id}/payment`,
      ),
    })
    expect(await response.json()).toMatchObject({
      released_usd: '0.40',
      onchain: { terms: { receiver: worker.address.toLowerCase() } },
    })
  })
})
