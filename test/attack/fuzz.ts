import fc from 'fast-check'
import { describe, type Finding, judge } from './judge.ts'
import { anyRequest, type ServiceFacts, type Wish } from './requests.ts'
import type { Target } from './target.ts'
import { send, sendRaw } from './wire.ts'

const slugs = ['gateway', 'broker', 'cat', 'data', 'money', 'proof', 'tasks', 'forecast']

const json = async (url: string, body?: object): Promise<Record<string, unknown>> => {
  const post = body && {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify(body),
  }
  return (await (await fetch(url, post)).json()) as Record<string, unknown>
}

/** Credentials that the services give to anybody who asks. */
const keysFor = async (url: string, slug: string): Promise<Record<string, string>[]> => {
  if (slug === 'broker') {
    const register = () => json(`${url}/broker/v1/account/register`, { accepted_terms: true })
    const [one, other] = [await register(), await register()]
    return [one, other].map(({ api_key }) => ({ authorization: `Bearer ${api_key}` }))
  }
  if (slug !== 'data') return []
  const { api_key } = await json(`${url}/data/ally/register`, { name: 'Ada' })
  return [{ 'x-api-key': String(api_key) }]
}

/** What a server says of its services: the grammar of the attack. */
export const readServices = (url: string): Promise<ServiceFacts[]> =>
  Promise.all(
    slugs.map(async slug => {
      const openapi = await json(`${url}/${slug}/openapi.json`)
      const card = await json(`${url}/${slug}/.well-known/agent-card.json`)
      const answer = await json(`${url}/${slug}/mcp`, {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/list',
        params: {},
      })
      const { tools = [] } = (answer.result ?? {}) as { tools?: ServiceFacts['tools'] }
      const { supportedInterfaces, url: at } = card as {
        supportedInterfaces?: { url: string }[]
        url?: string
      }
      return {
        slug,
        openapi: openapi as ServiceFacts['openapi'],
        tools,
        skills: (card.skills as { id: string }[]).map(({ id }) => id),
        a2a: new URL(at ?? supportedInterfaces?.[0]?.url ?? url).pathname,
        keys: await keysFor(url, slug),
      }
    }),
  )

export type Report = {
  requests: number
  /** How often each status was answered; 0 is no answer to bytes that are no request. */
  statuses: Record<string, number>
  findings: Finding[]
  memoryMb: { before: number; after: number; peak: number }
}

/** Different findings of one run that are worth reading. */
const maxFindings = 60

/** Requests that are made at once: some are a megabyte. */
const sliceSize = 200

type Plan = { count: number; seed: number; atOnce?: number; onProgress?: (done: number) => void }

/** The lines of the log about a failure that an answer refers to. */
const explain = (target: Target, text: string): string => {
  const ref = /"ref":"([^"]+)"/.exec(text)?.[1]
  const lines = ref
    ? target
        .output()
        .split('\n')
        .filter(line => line.includes(ref))
    : []
  return lines.map(line => `\n  ${line.slice(0, 4000)}`).join('')
}

const isAlive = async (url: string): Promise<boolean> => {
  const { status, text } = await send(url, { method: 'GET', path: '/healthz', headers: {}, body: undefined })
  return status === 200 && text === '{"ok":true}'
}

/** Sends requests that are made from the server's own description and judges every answer. The same seed sends the same. */
export const fuzz = async (
  target: Target,
  { count, seed, atOnce = 16, onProgress }: Plan,
): Promise<Report> => {
  const services = await readServices(target.url)
  const before = target.memory().now
  const statuses: Record<string, number> = {}
  const findings = new Map<string, Finding>()
  const request = anyRequest(services)
  const find = (what: string, request: string, answer: string) => {
    const key = `${what} ${request.slice(0, 60)}`
    if (findings.size < maxFindings && !findings.has(key)) findings.set(key, { what, request, answer })
  }
  const attack = async ({ request, statuses: allowedStatuses, rpc, raw }: Wish) => {
    const answer = raw ? await sendRaw(target.url, raw) : await send(target.url, request)
    statuses[answer.status] = (statuses[answer.status] ?? 0) + 1
    // A refused request may end its connection under the client's hands, and what is no HTTP need not be answered.
    const isCut =
      answer.status === 0 && (raw !== undefined || /ECONNRESET|EPIPE|socket hang up/.test(answer.text))
    const isUnsendable = /ERR_|Invalid character|unescaped/.test(answer.text) && answer.status === 0
    if ((isCut && (raw || (request.body?.length ?? 0) > 100_000)) || isUnsendable) return
    const wrong = judge(answer, {
      statuses: allowedStatuses,
      rpc,
      asksForPage: String(request.headers.accept ?? '').includes('text/html'),
    })
    if (wrong) find(wrong, describe(request), `${answer.text.slice(0, 600)}${explain(target, answer.text)}`)
  }
  let done = 0
  const attackAll = async (wishes: Wish[]) => {
    const work = async () => {
      for (let wish = wishes.pop(); wish; wish = wishes.pop()) {
        if (target.exitCode() !== undefined) return
        await attack(wish)
        done++
      }
    }
    await Promise.all(Array.from({ length: atOnce }, work))
  }
  while (done < count && target.exitCode() === undefined) {
    await attackAll(fc.sample(request, { numRuns: Math.min(sliceSize, count - done), seed: seed + done }))
    onProgress?.(done)
  }
  if (target.exitCode() !== undefined)
    find(`the program ended with ${target.exitCode()}`, '', target.output().slice(-2000))
  else if (!(await isAlive(target.url))) find('/healthz does not answer', '', '')
  const { now: after, peak } = target.memory()
  return { requests: done, statuses, findings: [...findings.values()], memoryMb: { before, after, peak } }
}
