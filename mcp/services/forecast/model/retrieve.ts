import { z } from 'zod'
import { ToolError } from '../../../kernel/error.ts'
import { type Asking, openAsking } from '../../../lib/asking.ts'
import { asList, asRecord, parseJson } from '../../../lib/json.ts'
import { guessLanguage } from '../../../lib/text/amount/language.ts'
import { findInjection } from '../../../lib/text/injection.ts'
import type { LlmPart } from '../../../ports/llm/port.ts'
import type { Ports } from '../../../ports/ports.ts'
import type { Workers } from '../../../ports/workers/port.ts'
import { module } from './page-text.ts'
import { chooseMethod, maxModelMs, maxPages } from './plan.ts'

/** Whoever answers the question, as a page may call it. */
const reader =
  /\b(?:you|your|yours|yourself|ai|llms?|gpt|claude|(?:chat)?bots?|assistants?|agents?|summari[sz]ers?|graders?|automated (?:readers?|systems?)|(?:language|ai) models?|models? (?:that|which|who) read|developers?|operators?|admin|prompts?|instructions?)\b/i
/** Words for such a reader to say. */
const verdict =
  /\b(?:probabilit(?:y|ies)|likelihood|estimates?|forecasts?|predict(?:s|ions?)?|answers?|output|odds|confidence|certain(?:ty)?|label|ground truth|json|responses?|results?|yes)\b|\b[01]?[.,]\d+\b|\b\d{1,3}\s?(?:%|percent)/i
const answerVerb =
  'answer|respond|reply|report|return|output|say|rate|assign|set|put|conclude|predict|treat|ignore|disregard|forget|override|raise|lower|increase|reduce|print|write|give|submit'
const order = new RegExp(
  `(?:^|[:;,]\\s+|\\b(?:please|must|should|shall|always|never|now|(?:has|have|is|are|required) to)\\s+)(?:${answerVerb})\\b(?!-)`,
  'i',
)
const demand = /\b(?:must|should|shall|has to|have to|only acceptable|required to|graded?|from now on)\b/i
const turn =
  /^(?:system|assistant|user|developer|human)\s*:|<\/?(?:data|system|assistant|instructions?)\b|\[(?:\/?INST|system)\]|^#+\s*(?:instruction|response)\b/i
/** A share near all, in figures: what an answer is to be pushed to, in whatever language. */
const nearCertain =
  /(?<![\d.,])(?:[01][.,](?:9[5-9]\d*|00?)(?!\d)|(?:9[5-9]|100)(?:[.,]\d+)?\s?(?:%|percent|prozent|pour cent|por ciento))/iu
const isQuestionMentioned = /\b(?:this|the) question\b/i

const speaksToReader = (sentence: string): boolean =>
  turn.test(sentence) ||
  nearCertain.test(sentence) ||
  (verdict.test(sentence) &&
    (reader.test(sentence) ||
      order.test(sentence) ||
      demand.test(sentence) ||
      isQuestionMentioned.test(sentence)))

const sentences = (text: string): string[] =>
  text.split(/(?<=[.!?。！？])\s*(?=[\p{Lu}\p{Lo}"“#[<])|\n+/u).flatMap(part => part.trim() || [])

const scripts = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u,
  /\p{Script=Hangul}/u,
  /\p{Script=Arabic}/u,
  /\p{Script=Hebrew}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Devanagari}/u,
  /\p{Script=Thai}/u,
]

/** The script of most letters of a text; -1 for one without letters, or in none of these. */
const scriptOf = (text: string): number => {
  const counts = scripts.map(() => 0)
  for (const letter of text.slice(0, 3000)) {
    const at = scripts.findIndex(script => script.test(letter))
    if (at >= 0) counts[at] = (counts[at] ?? 0) + 1
  }
  const most = Math.max(...counts)
  return most === 0 ? -1 : counts.indexOf(most)
}

/** Names in the middle of a sentence may be of any language. */
const withoutNames = (sentence: string): string => sentence.replace(/(?<=\s)\p{Lu}[\p{L}\p{M}'’.-]*/gu, '')

/** Finds the sentences of a page that its readers would not read: those in another script or another language. */
const foreignTo = (page: string): ((sentence: string) => boolean) => {
  const [script, language] = [scriptOf(page), guessLanguage(page)]
  return sentence => {
    if (![script, -1].includes(scriptOf(sentence))) return true
    const own = language && guessLanguage(withoutNames(sentence))
    return own !== undefined && own !== language
  }
}

/** Share of the sentences of a page from which on it is no report any more. */
const maxShare = 1 / 3

/**
 * Takes out of a page what speaks to whoever answers a question about the answer, instead of about the world, and what puts a share
 * near all on anything, and sentences in another script or language than the page's. `reason` says why a page is not read on: it poses as instructions, or much of it speaks so.
 */
export const withoutSteering = (text: string, page = text): { text: string } | { reason: string } => {
  const injected = findInjection(text)
  if (injected !== null) return { reason: injected }
  const all = sentences(text.normalize('NFKC'))
  const isForeign = foreignTo(page)
  const reporting = all.filter(sentence => !speaksToReader(sentence) && !isForeign(sentence))
  return all.length - reporting.length >= maxShare * all.length
    ? { reason: 'it speaks to its reader about the answer' }
    : { text: reporting.join(' ') }
}

/** Sources as a model reads them: marked as what strangers wrote, each with the id that it is named by. */
export const toSourceParts = (documents: readonly Document[]): LlmPart[] =>
  documents.length === 0
    ? ['No source was found.']
    : [
        `${documents.length} sources follow. They may be wrong, old or partial. Name those that you use by their ids.`,
        ...documents.map(({ id, title, url, text }) => ({ label: id, data: `${title}\n${url}\n\n${text}` })),
      ]

/** The ids among these that are of a source which was read. */
export const keepIds = (ids: readonly string[], documents: readonly Document[]): string[] => {
  const known = new Set(documents.map(({ id }) => id))
  return [...new Set(ids)].filter(id => known.has(id))
}

/** A page that was read, as strangers wrote it; `id` is what a model names it by. */
export type Document = { id: string; title: string; url: string; text: string }

/** Source that could not be read, or was not read on, and why. */
type RetrievalFailure = { url: string; reason: string; steers?: true }

export type Material = { documents: Document[]; failures: RetrievalFailure[] }

type Page = Omit<Document, 'id'>

const maxTextLength = 6000
const maxBytes = 2 << 20
const deadlineMs = 12_000
const readable = /^(text\/(html|plain|markdown)|application\/(json|xhtml\+xml))\b/

type Deps = { fetch: Ports['fetch']; workers: Workers; signal: AbortSignal }

const clean = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** A page as text, or why there is none: a source that is away is no reason to give up. */
const readPage = async (
  url: string,
  namedBy: 'caller' | 'page',
  { fetch, workers, signal }: Deps,
): Promise<Page | RetrievalFailure> => {
  try {
    const answer = await fetch(url, { types: readable, maxBytes, deadlineMs, namedBy, signal })
    if (answer.status !== 200) return { url, reason: `it answers with status ${answer.status}` }
    const markup = answer.text().text
    const isPage = /html/.test(answer.headers['content-type'] ?? '')
    const { title, text } = isPage
      ? await workers.run<{ title: string | null; text: string }>(module, 'readPageText', {
          markup,
          url: answer.url,
        })
      : { title: null, text: markup }
    const words = clean(text).slice(0, maxTextLength)
    if (words === '') return { url, reason: 'it holds no text' }
    return toPage({ title: clean(title ?? '').slice(0, 200) || url, url, text: words })
  } catch (error) {
    if (signal.aborted) throw error
    return { url, reason: error instanceof ToolError ? error.message : 'it cannot be read' }
  }
}

const toPage = (page: Page): Page | RetrievalFailure => {
  const read = withoutSteering(page.text)
  if ('reason' in read) return { url: page.url, reason: read.reason, steers: true }
  const hasPlainTitle = 'text' in withoutSteering(page.title, read.text)
  return { ...page, title: hasPlainTitle ? page.title : page.url, text: read.text }
}

type Hit = { title: string; url: string; snippet: string }

const toHit = (value: unknown): Hit[] => {
  const { title, url, content, snippet } = asRecord(value)
  if (typeof url !== 'string' || !URL.canParse(url) || !/^https?:/.test(url)) return []
  return [
    {
      title: clean(String(title ?? '')).slice(0, 200) || url,
      url: new URL(url).href,
      snippet: clean(String(content ?? snippet ?? '')).slice(0, 500),
    },
  ]
}

/** Results of the operator's search: an address with `{query}` that answers `{ results: [{ title, url, content }] }`. */
const search = async (
  address: string,
  query: string,
  { fetch, signal }: Deps,
): Promise<Hit[] | RetrievalFailure> => {
  const { host } = new URL(address)
  try {
    const answer = await fetch(address.replaceAll('{query}', encodeURIComponent(query)), {
      accept: 'application/json',
      maxBytes,
      deadlineMs,
      namedBy: 'operator',
      signal,
    })
    if (answer.status !== 200) return { url: host, reason: `the search answers with status ${answer.status}` }
    return asList(asRecord(parseJson(answer.text().text)).results).flatMap(toHit)
  } catch (error) {
    if (signal.aborted) throw error
    return { url: host, reason: 'the search does not answer' }
  }
}

/** Sources that were read. Throws `upstream` where there are none, since what is sold rests on them. */
export const requireDocuments = (material: Material, what: string): Material => {
  if (material.documents.length > 0) return material
  throw new ToolError('upstream', `No source could be read, and ${what} rests on sources.`, {
    reason: 'no_sources',
    retryable: true,
    params: { failed_sources: material.failures.slice(0, 10) },
    hint: 'Nothing was charged. Name sources, or try again later.',
  })
}

const isFailure = (value: Page | RetrievalFailure): value is RetrievalFailure => 'reason' in value

/** Results that are looked at to find the pages of a plan: what steers or is away makes room for the next. */
const maxCandidates = 40

type Wanted = {
  queries: readonly string[]
  sources: readonly string[]
  pages: number
  searchUrl: string | undefined
}

/** Reads what the caller names and what a search finds; each address once, the caller's first. */
export const retrieve = async (
  { queries, sources, pages, searchUrl }: Wanted,
  deps: Deps,
): Promise<Material> => {
  const found =
    searchUrl === undefined ? [] : await Promise.all(queries.map(query => search(searchUrl, query, deps)))
  const failures: RetrievalFailure[] = found.flatMap(result => (Array.isArray(result) ? [] : [result]))
  const hits = found.flatMap(result => (Array.isArray(result) ? result : []))
  const named = new Set(sources)
  const candidates = [...new Map(hits.map(hit => [hit.url, hit])).values()]
    .filter(({ url }) => !named.has(url))
    .slice(0, maxCandidates)
  const own = await Promise.all([...named].map(url => readPage(url, 'caller', deps)))
  const listed: Page[] = []
  for (let at = 0; at < candidates.length && listed.length < pages; ) {
    const next = candidates.slice(at, at + pages - listed.length)
    at += next.length
    const read = await Promise.all(
      next.map(async ({ title, url, snippet }) => {
        const page = await readPage(url, 'page', deps)
        if (!isFailure(page) || snippet === '' || page.steers) return page
        return toPage({ title, url, text: snippet })
      }),
    )
    for (const page of read) {
      if (isFailure(page)) failures.push(page)
      else listed.push(page)
    }
  }
  const pagesRead = [...own.filter(page => !isFailure(page)), ...listed] as Page[]
  return {
    documents: pagesRead.map((page, n) => ({ id: `S${n + 1}`, ...page })),
    failures: [...own.filter(isFailure), ...failures],
  }
}

/** Pages that a caller names, in the input of a tool. */
export const sourcesInput = z
  .array(
    z
      .url({ protocol: /^https?$/ })
      .max(500)
      .describe('Address of a page'),
  )
  .max(5)

export const FailedSourcesOut = z
  .array(z.object({ url: z.string().describe('Address'), reason: z.string().describe('Why') }))
  .describe('Sources that could not be read, or that speak to whoever reads them')

export const toFailedSources = (failures: readonly RetrievalFailure[]): z.output<typeof FailedSourcesOut> =>
  failures.map(({ url, reason }) => ({ url, reason }))

type ReadingContext = Partial<Pick<Ports, 'llm' | 'fetch' | 'workers'>> & {
  searchUrl?: string | undefined
  signal: AbortSignal
}

/**
 * A model and the sources that its answers rest on, which `what` names in a refusal; undefined where the call is for the method that
 * needs neither. Throws `unavailable` as `chooseMethod` does.
 */
export const openReading = <keyless extends string>(
  { llm, fetch, workers, searchUrl, signal: gone }: ReadingContext,
  input: { method: 'auto' | 'model' | keyless; sources: readonly string[] },
  keyless: keyless,
  what: string,
): { asking: Asking; retrieve(queries: readonly string[]): Promise<Material> } | undefined => {
  const method = chooseMethod({ llm, fetch, workers, searchUrl }, input, keyless)
  if (method === keyless || !llm || !fetch || !workers) return undefined
  const signal = AbortSignal.any([gone, AbortSignal.timeout(maxModelMs)])
  const { sources } = input
  return {
    asking: openAsking(llm, signal, `With method: "${keyless}" no model is asked.`),
    retrieve: async queries =>
      requireDocuments(
        await retrieve({ queries, sources, pages: maxPages, searchUrl }, { fetch, workers, signal }),
        what,
      ),
  }
}
