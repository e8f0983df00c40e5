import { createHash } from 'node:crypto'
import { ToolError } from '../../kernel/error.ts'
import { sats } from '../../kernel/tool.ts'
import { type Article, article, whole } from '../../lib/page/article/article.ts'
import { compiledPath, type PageRead, pageWorker } from '../../lib/page/job.ts'
import { type Selected, selectElements } from '../../lib/page/selected.ts'
import { clean, cleanText } from '../../lib/text/clean.ts'
import { cutBytes } from '../../lib/text/cut-bytes.ts'
import type { Browser, BrowserStep } from '../../ports/browser/port.ts'
import type { Fetched } from '../../ports/fetch/port.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Turn } from '../../ports/scheduler/port.ts'
import type { Tier } from './execution/tiers.ts'
import { hashJson } from './review/decision.ts'

/** Observation of a page, whichever way it was looked at. */
type Observation = {
  status: 'ok' | 'step_failed'
  finalUrl: string
  httpStatus: number | null
  contentType: string | null
  headers: Readonly<Record<string, string>>
  title: string | null
  text: string
  isTextCut: boolean
  isLoaded: boolean
  /** Addresses that led to the page, in order, with what each answered. */
  redirects: readonly { url: string; status: number | null }[]
  blocked: readonly { url: string; reason: string }[]
  refused: { dialogs: number; popups: number; downloads: number }
  steps: readonly { action: string; ok: boolean; detail: string | null }[]
  /** PNG, each with the step that took it, from 0. */
  pictures: readonly { bytes: Buffer; step: number }[]
  bytes: number
  runner: string
  isolates: Readonly<Record<string, string>>
}

/** Headers of a page that say something of it, by lower-case name. */
const telling = [
  'cache-control',
  'content-language',
  'content-length',
  'content-type',
  'date',
  'etag',
  'last-modified',
  'server',
]

/** The headers that say something, none longer than a line. */
const pickHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    telling.flatMap(name => (headers[name] === undefined ? [] : [[name, headers[name].slice(0, 500)]])),
  )

/** Limits of a look at a page by tier, in seconds and steps. */
export const browseTiers = [
  { name: 'starter', seconds: 30, steps: 3, factor: 1 },
  { name: 'standard', seconds: 60, steps: 8, factor: 1 },
  { name: 'premium', seconds: 300, steps: 20, factor: 4 },
  { name: 'enterprise', seconds: 600, steps: 40, factor: 10 },
] as const

/** The steps of the largest tier. */
export const maxSteps = 40

export const browseActions = ['fetch', 'extract_text', 'screenshot', 'multi_step'] as const

type BrowseAction = (typeof browseActions)[number]

const baseSats = { fetch: 500, extract_text: 500, screenshot: 1500, multi_step: 2000 } as const

/** The price of an action in a tier. */
export const priceBrowse = (action: BrowseAction, tier: Tier) =>
  sats(String(baseSats[action] * browseTiers[tier].factor))

/** True when an action is done in a browser. */
export const needsBrowser = (action: BrowseAction): action is 'screenshot' | 'multi_step' =>
  action === 'screenshot' || action === 'multi_step'

/** A page can ask for as much as it likes; who reads the answer has less time. */
const maxBlocked = 20

type VisitOrder = {
  url: string
  steps: readonly BrowserStep[]
  viewport: { width: number; height: number }
  settleMs: number
  maxBytes: number
  tier: Tier
  turn: Turn
}

/** Shows a page in a browser and does the steps; text and title without what people do not see. */
export const visitPage = async (browser: Browser, order: VisitOrder): Promise<Observation> => {
  const { url, steps, viewport, settleMs, maxBytes, tier, turn } = order
  const visit = await browser.visit(
    {
      url,
      steps,
      viewport,
      settleMs,
      maxTextBytes: maxBytes,
      deadlineMs: browseTiers[tier].seconds * 1000,
    },
    turn,
  )
  const screenshotSteps = visit.steps.flatMap(({ action, ok }, step) =>
    action === 'screenshot' && ok ? [step] : [],
  )
  return {
    status: visit.steps.every(({ ok }) => ok) ? 'ok' : 'step_failed',
    finalUrl: visit.finalUrl,
    httpStatus: visit.status,
    contentType: visit.headers['content-type']?.slice(0, 200) ?? null,
    headers: pickHeaders(visit.headers),
    title: clean(visit.title, 500),
    text: cleanText(visit.text),
    isTextCut: visit.isTextCut,
    isLoaded: visit.isLoaded,
    redirects: visit.redirects,
    blocked: visit.blocked.slice(0, maxBlocked),
    refused: visit.refused,
    steps: visit.steps,
    pictures: visit.screenshots.map((bytes, n) => ({ bytes, step: screenshotSteps[n] ?? 0 })),
    bytes: visit.bytes,
    runner: `chromium ${browser.facts.version}`,
    isolates: browser.facts.isolates,
  }
}

type FetchOrder = {
  action: 'fetch' | 'extract_text'
  url: string
  selector: string | undefined
  /** Of text. */
  maxBytes: number
  signal: AbortSignal
}

type World = Pick<Ports, 'fetch' | 'workers'>

const markup = /^\s*(?:text\/html|application\/xhtml\+xml)\b/i

const isolates = {
  network: 'public addresses only, each checked before it is dialled, redirects too',
  scripts: 'nothing of the page is run',
}

const readTypes = (fetched: Fetched): { type: string | null; isMarkup: boolean; isBinary: boolean } => {
  const type = fetched.headers['content-type']?.slice(0, 200) ?? null
  const isBinary = fetched.body.includes(0) && !/charset\s*=\s*"?utf-(?:16|32)/i.test(type ?? '')
  return { type, isMarkup: type === null ? !isBinary : markup.test(type), isBinary }
}

/** Reads a page in a thread, so that no page stalls the server. */
const readPage = async (
  workers: Ports['workers'],
  fetched: Fetched,
  { selector, maxBytes }: FetchOrder,
): Promise<{ title: string | null; text: string; isCut: boolean }> => {
  const { url, status, headers } = fetched
  const task = { markup: fetched.text().text, page: { url, status, headers }, mostNodes: undefined }
  const run = <Result>(
    { module, name, ms }: { module: string; name: string; ms: number },
    options: object,
  ) => {
    const extractor = { module: compiledPath(module), name }
    return workers.run<PageRead<Result>>(pageWorker, 'readInWorker', { ...task, extractor, options }, ms)
  }
  if (selector !== undefined) {
    const { result, cut } = await run<Selected>(selectElements, { selector, maxLength: maxBytes })
    return { title: result.title, text: result.text, isCut: cut !== null }
  }
  const options = { markdown: false }
  const extracted = await run<Article | null>(article, options).catch((problem: unknown) => {
    // Looking for the article may take too long where its text does not.
    if (problem instanceof ToolError && problem.code === 'upstream') return undefined
    throw problem
  })
  const { result, cut } = extracted?.result ? extracted : await run<Article>(whole, options)
  if (!result) throw new Error('a page without a text')
  return { title: result.title, text: result.text, isCut: cut !== null || result.truncated }
}

const noText = (type: string | null) =>
  new ToolError('upstream', `The address holds no text, but ${type ?? 'bytes of no type'}.`, {
    reason: 'not_text',
    retryable: false,
    hint: 'The action screenshot shows it as a browser does.',
  })

/** Fetches an address without a browser and gives its body as text, or what people read on it. */
export const fetchText = async ({ fetch, workers }: World, order: FetchOrder): Promise<Observation> => {
  const { action, url, maxBytes, signal } = order
  if (action === 'extract_text') workers.warm(pageWorker)
  const fetched = await fetch(url, {
    accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.5',
    signal,
    ...(action === 'fetch' && { maxBytes }),
  })
  const { type, isMarkup, isBinary } = readTypes(fetched)
  if (isBinary) throw noText(type)
  const chosenText =
    action === 'extract_text' && isMarkup
      ? await readPage(workers, fetched, order)
      : { title: null, text: fetched.text().text, isCut: false }
  // What a page is made of is given as it came, and what people read without what they do not see.
  const { text, isCut } = cutBytes(
    action === 'fetch' ? chosenText.text : cleanText(chosenText.text),
    maxBytes,
  )
  return {
    status: 'ok',
    finalUrl: fetched.url,
    httpStatus: fetched.status,
    contentType: type,
    headers: pickHeaders(fetched.headers),
    title: chosenText.title,
    text: text.replaceAll('\0', ''),
    isTextCut: isCut || chosenText.isCut || fetched.truncated,
    isLoaded: true,
    redirects: fetched.hops.slice(0, -1).map(({ url, status }) => ({ url, status })),
    blocked: [],
    refused: { dialogs: 0, popups: 0, downloads: 0 },
    steps: [],
    pictures: [],
    bytes: fetched.body.length,
    runner: 'fetch',
    isolates,
  }
}

const digest = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex')

type AuditedPage = {
  request: {
    action: string
    url: string
    selector?: string | undefined
    steps: readonly object[]
    tier: number
  }
  observation: Observation
  startedAt: Date
  endedAt: Date
}

/** Result of a look at a page, by hashes, never contents: its SHA-256 over canonical JSON (RFC 8785) is the audit hash. */
export const auditBrowse = ({ request, observation, startedAt, endedAt }: AuditedPage) => ({
  v: 1,
  action: request.action,
  url_sha256: digest(request.url),
  selector_sha256: digest(request.selector ?? ''),
  steps_sha256: hashJson(request.steps),
  final_url_sha256: digest(observation.finalUrl),
  http_status: observation.httpStatus,
  title_sha256: digest(observation.title ?? ''),
  text_sha256: digest(observation.text),
  screenshots_sha256: observation.pictures.map(({ bytes }) => digest(bytes)),
  redirects_sha256: hashJson(observation.redirects),
  blocked_sha256: hashJson(observation.blocked),
  status: observation.status,
  tier: request.tier,
  runner: observation.runner,
  started_at: startedAt.toISOString(),
  ended_at: endedAt.toISOString(),
})
