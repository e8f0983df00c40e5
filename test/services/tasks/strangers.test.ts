import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { filesIn } from '../../../mcp/services/tasks/file.ts'
import { tasksIn } from '../../../mcp/services/tasks/task.ts'
import { scene, toJpeg } from '../../lib/image/pictures.ts'
import { arbiter, type Hall, hallTask, hashOf, openHall, type Person, upload } from './hall.ts'
import { signRequest } from './signing.ts'

let hall: Hall
let place: Awaited<ReturnType<Hall['taskUnderWay']>> & {
  file_id: string
  submission_id: string
  dispute_id: string
}
let stranger: Person

const photo = toJpeg(160, 120, scene(401))

beforeAll(async () => {
  hall = await openHall()
  stranger = await hall.person()
  await stranger.get('register_worker', { kind: 'human', name: 'Mallory' })
  const under = await hall.taskUnderWay({ evidence_required: ['photo'] })
  const { file_id } = await upload(under.worker, under.task_id, photo)
  const { submission_id = '' } = await under.worker.get('submit_work', {
    task_id: under.task_id,
    evidence: [{ type: 'photo', file_id }],
  })
  const notes = { submission_id, notes: 'It is another door.', severity: 'major' }
  await under.publisher.get('reject_submission', notes)
  const reason = 'The photo shows the door and its number.'
  const { dispute_id = '' } = await under.worker.get('open_dispute', { submission_id, reason })
  place = { ...under, file_id, submission_id, dispute_id }
})
afterAll(() => hall?.stop())

const transports = ['REST', 'MCP', 'A2A'] as const
type Transport = (typeof transports)[number]

let n = 0
const paths = { MCP: '/mcp', A2A: '/a2a/v1' } as const

const toRequest = (transport: Transport, tool: string, input: object) => {
  n += 1
  if (transport === 'REST') return { path: `/tools/${tool}`, body: input }
  if (transport === 'MCP')
    return {
      path: paths.MCP,
      body: { jsonrpc: '2.0', id: n, method: 'tools/call', params: { name: tool, arguments: input } },
    }
  const parts = [{ kind: 'data', data: { skill: tool, input } }]
  const message = { kind: 'message', role: 'user', messageId: `m-${n}`, parts }
  return { path: paths.A2A, body: { jsonrpc: '2.0', id: n, method: 'message/send', params: { message } } }
}

type Refusal = { code?: string; detail?: string; reason?: string; issues?: { path: string }[] }

/** The problem in an answer of any transport; undefined where it was answered. */
const readRefusal = (transport: Transport, body: unknown): Refusal | undefined => {
  const { code, error, result } = body as {
    code?: string
    error?: { data?: unknown }
    result?: { isError?: boolean; content?: { text: string }[] }
  }
  if (transport === 'REST') return code === undefined ? undefined : (body as Refusal)
  if (transport === 'MCP' && !error)
    return result?.isError ? (JSON.parse(result.content?.[0]?.text ?? '{}') as Refusal) : undefined
  if (!error) return undefined
  const all = [error.data].flat() as (Refusal & { metadata?: Refusal })[]
  return all.find(each => typeof each?.code === 'string') ?? all.find(each => each?.metadata)?.metadata ?? {}
}

const send = async (transport: Transport, headers: Record<string, string>, tool: string, input: object) => {
  const { path, body } = toRequest(transport, tool, input)
  const response = await fetch(hall.url + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'x-forwarded-for': `198.51.100.${n % 250}`,
      ...headers,
    },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  const json = text.startsWith('{') ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? '{}')
  return readRefusal(transport, JSON.parse(json))
}

/** What there is, so that what a stranger changed would show. */
const snapshot = async () =>
  JSON.stringify([
    await tasksIn(hall.store).get(place.task_id),
    await filesIn(hall.store).get(place.file_id),
    await filesIn(hall.store).count(),
    (await place.worker.ask('get_submission', { submission_id: place.submission_id })).body,
    (await place.worker.ask('get_balance')).body,
    (await stranger.ask('get_balance')).body,
  ])

const calls = (): [tool: string, input: object][] => {
  const { task_id, file_id, submission_id, dispute_id } = place
  return [
    ['presign_upload', { task_id, sha256: hashOf(photo), bytes: photo.length, content_type: 'image/jpeg' }],
    ['presign_download', { file_id }],
    ['verify_evidence', { file_id }],
    ['submit_work', { task_id, evidence: [{ type: 'photo', file_id }] }],
    ['get_submission', { submission_id }],
    ['list_submissions', { task_id }],
    ['approve_submission', { submission_id }],
    ['reject_submission', { submission_id, notes: 'Give it to me.', severity: 'major' }],
    ['release_payment', { task_id, amount_usd: '1.00' }],
    ['task_payment', { task_id }],
    ['get_balance', { address: place.worker.id }],
    ['get_feedback', { task_id }],
    ['reclaim_escrow', { task_id }],
    ['cancel_task', { task_id }],
    ['abandon_task', { task_id }],
    ['start_work', { task_id }],
    ['assign_worker', { task_id, executor_id: stranger.id }],
    ['get_dispute', { dispute_id }],
    ['resolve_dispute', { dispute_id, verdict: 'release', reason: 'Because I say so.' }],
    ['available_disputes', {}],
    ['get_task', { task_id }],
    ['list_questions', { task_id }],
    ['ask_question', { task_id, question: 'What is it about?' }],
    ['get_history', { task_id }],
  ]
}

describe.each(transports)('a stranger over %s', transport => {
  test('gets nothing of a task of others, and changes nothing', async () => {
    const before = await snapshot()
    for (const [tool, input] of calls()) {
      const refusal = await send(transport, stranger.headers, tool, input)
      expect([tool, refusal?.code]).toEqual([tool, expect.stringMatching(/^(forbidden|not_found)$/)])
    }
    expect(await snapshot()).toBe(before)
  })

  test('who does not sign gets nothing either', async () => {
    const before = await snapshot()
    for (const [tool, input] of calls()) {
      const refusal = await send(transport, {}, tool, input)
      expect([tool, refusal?.code]).toEqual([tool, expect.stringMatching(/^(unauthenticated|forbidden)$/)])
      if (refusal?.code === 'unauthenticated')
        expect(refusal.detail).toMatch(/a request that a wallet has signed/)
    }
    expect(await snapshot()).toBe(before)
  })

  test('who signs wrongly is told why, each with its code', async () => {
    const wallet = privateKeyToAccount(generatePrivateKey())
    const { path, body } = toRequest(transport, 'list_tasks', {})
    const text = JSON.stringify(body)
    const url = hall.url + path
    const contentType = 'application/json'
    const now = Math.floor(Date.now() / 1000)
    const signed = (more: object = {}, at = url) =>
      signRequest(wallet, at, { method: 'POST', body: text, contentType, ...more })
    const ask = async (headers: Record<string, string>, sent = text) => {
      const accept = 'application/json, text/event-stream'
      const response = await fetch(url, { method: 'POST', headers: { accept, ...headers }, body: sent })
      const answer = await response.text()
      const json = answer.startsWith('{') ? answer : (/^data: (.*)$/m.exec(answer)?.[1] ?? '{}')
      return readRefusal(transport, JSON.parse(json))?.reason
    }
    const replayed = await signed()
    expect(await ask(replayed)).toBeUndefined()
    expect(await ask(replayed)).toBe('nonce_reused')
    expect(await ask(await signed({ created: now - 400 }))).toBe('request_expired')
    expect(await ask(await signed(), text.replace('{', '{ '))).toBe('bad_content_digest')
    expect(await ask(await signed({}, url.replace('127.0.0.1', 'elsewhere.example')))).toBe('bad_signature')
    expect(await ask(await signed({ seconds: 301 }))).toBe('request_validity_too_long')
    expect(await ask(await signed({ chainId: 1 }))).toBe('unsupported_chain')
  })

  test('who sends what makes no sense is told which field', async () => {
    const { publisher } = place
    const cases: [input: object, path: string][] = [
      [{ ...hallTask, bounty_usd: '0' }, 'bounty_usd'],
      [{ ...hallTask, bounty_usd: '-5' }, 'bounty_usd'],
      [{ ...hallTask, bounty_usd: 'NaN' }, 'bounty_usd'],
      [{ ...hallTask, bounty_usd: '1e9' }, 'bounty_usd'],
      [{ ...hallTask, bounty_usd: '1000000000' }, 'bounty_usd'],
      [{ ...hallTask, deadline_hours: -1 }, 'deadline_hours'],
      [{ ...hallTask, deadline_hours: 721 }, 'deadline_hours'],
      [{ ...hallTask, color: 'red' }, 'color'],
      [{ ...hallTask, evidence_required: [] }, 'evidence_required'],
      [{ ...hallTask, evidence_required: ['photo', 'photo'] }, 'evidence_required'],
      [{ ...hallTask, evidence_required: ['selfie'] }, 'evidence_required.0'],
    ]
    const before = await tasksIn(hall.store).count()
    for (const [input, path] of cases) {
      const refusal = await send(transport, publisher.headers, 'publish_task', input)
      const issues = refusal?.issues?.map(issue => issue.path)
      expect([path, refusal?.code, issues]).toEqual([path, 'invalid_input', expect.arrayContaining([path])])
    }
    expect(await tasksIn(hall.store).count()).toBe(before)
  })

  test('nobody works for their own wallet, or decides their own dispute', async () => {
    const judge = await hall.person(arbiter.key)
    await judge.get('register_worker', { kind: 'human', name: 'Judge' })
    await hall.fund(judge.id, 6_000_000n)
    const { task_id } = await judge.get('publish_task', { ...hallTask, evidence_required: ['text_response'] })
    const own = await send(transport, judge.headers, 'apply_to_task', { task_id })
    expect(own).toMatchObject({ code: 'forbidden', reason: 'self_assignment' })
    const worker = await hall.person()
    await worker.get('register_worker', { kind: 'human', name: 'Ada' })
    await worker.get('apply_to_task', { task_id })
    await judge.get('assign_worker', { task_id, executor_id: worker.id })
    await worker.get('start_work', { task_id })
    const evidence = [{ type: 'text_response', value: 'It is open.' }]
    const { submission_id } = await worker.get('submit_work', { task_id, evidence })
    const notes = { submission_id, notes: 'It is another door.', severity: 'major' }
    await judge.get('reject_submission', notes)
    const reason = 'The photo shows the door and its number.'
    const { dispute_id } = await worker.get('open_dispute', { submission_id, reason })
    const verdict = { dispute_id, verdict: 'refund', reason: 'I am right, and it is mine.' }
    expect((await send(transport, judge.headers, 'resolve_dispute', verdict))?.code).toMatch(
      /forbidden|not_found/,
    )
    const { disputes } = (await judge.ask('available_disputes')).body as {
      disputes: { dispute_id: string }[]
    }
    expect(disputes.map(each => each.dispute_id)).not.toContain(dispute_id)
  })
})

test('A2A text moves no money and nobody else’s task, whatever it says', async () => {
  const before = await snapshot()
  for (const text of [
    `approve ${place.submission_id}`,
    `approve submission ${place.submission_id} and release the money`,
    `reject ${place.submission_id}`,
    `cancel ${place.task_id}`,
    `release_payment task_id=${place.task_id} amount_usd=1.00`,
    JSON.stringify({
      skill: 'review-submissions',
      operation: 'approve_submission',
      submission_id: place.submission_id,
    }),
    JSON.stringify({ skill: 'approve_submission', submission_id: place.submission_id }),
  ])
    for (const headers of [stranger.headers, {}]) {
      const message = {
        kind: 'message',
        role: 'user',
        messageId: `t-${++n}`,
        parts: [{ kind: 'text', text }],
      }
      const response = await fetch(`${hall.url}/a2a/v1`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-forwarded-for': `198.51.100.${n % 250}`,
          ...headers,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: n, method: 'message/send', params: { message } }),
      })
      expect(await response.text()).not.toContain('It is another door')
    }
  expect(await snapshot()).toBe(before)
})
