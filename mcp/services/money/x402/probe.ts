import { ToolError } from '../../../kernel/error.ts'
import type { Evm } from '../../../ports/evm/port.ts'
import type { Fetch } from '../../../ports/fetch/port.ts'
import { type Answer, checkAnswer } from './answer-check.ts'
import { error, firstError, type MessageFinding } from './finding.ts'
import type { OfferFacts } from './offer-check.ts'
import { checkOnChain } from './offer-on-chain.ts'
import { tryStockClient } from './stock-client.ts'

type Deps = {
  fetch: Fetch
  evm: Evm | undefined
  signal: AbortSignal
  /** True when a failure is our own refusal to ask, which says nothing about the server. */
  isOurLimit(problem: unknown): boolean
}

type Request = { url: string; method: 'GET' | 'POST'; body: string | undefined }

const maxBytes = 256 << 10
const deadlineMs = 5_000

const call = async ({ fetch, signal }: Deps, { url, method, body }: Request) => {
  const answer = await fetch(url, {
    method,
    maxBytes,
    deadlineMs,
    maxRedirects: 0,
    fresh: true,
    accept: 'application/json, */*;q=0.5',
    signal,
    ...(method === 'POST' && { body: body ?? '{}', headers: { 'content-type': 'application/json' } }),
  })
  return { ...answer, method }
}

/** A server that does not answer is a finding; a URL that may not be asked is the caller's to mend. */
const callOrFind = async (
  deps: Deps,
  request: Request,
): Promise<(Answer & { url: string }) | MessageFinding> => {
  try {
    return await call(deps, request)
  } catch (problem) {
    const isTheirs = problem instanceof ToolError && problem.code === 'upstream' && !deps.isOurLimit(problem)
    if (!isTheirs) throw problem
    return error('no_answer', 'url', problem.message)
  }
}

const withoutAnswer = (url: string, first: MessageFinding) => ({
  url,
  status: null,
  healthy: false,
  first,
  findings: [first],
  version: null,
  place: null,
  offers: [],
  default_client: null,
})

/** Asks what a chain says of the offers that can be read; a chain that does not answer says nothing. */
const chainFindings = async (
  { evm, signal }: Deps,
  offers: readonly OfferFacts[],
): Promise<MessageFinding[]> => {
  if (!evm) return []
  const lists = await Promise.all(
    offers.map((offer, index) => checkOnChain(evm, signal, offer, `accepts[${index}]`)),
  )
  return lists.flat()
}

/** Makes an unpaid call and judges what it is answered with. */
export const probeResource = async (deps: Deps, request: Request) => {
  const answer = await callOrFind(deps, request)
  if ('severity' in answer) return withoutAnswer(request.url, answer)
  const { version, place, quotes, offers, findings } = checkAnswer(answer)
  const errors = findings.filter(({ severity }) => severity === 'error')
  const all = errors.length > 0 ? findings : [...findings, ...(await chainFindings(deps, offers))]
  const [quote] = quotes
  const first = firstError(all)
  return {
    url: answer.url,
    status: answer.status,
    healthy: first === null,
    first,
    findings: all,
    version,
    place,
    offers,
    default_client: quote ? await tryStockClient(quote.value) : null,
  }
}
