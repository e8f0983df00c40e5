import { ToolError } from '../../../kernel/error.ts'
import { type Article, article, whole } from '../../../lib/page/article/article.ts'
import { compiledPath, type PageRead, pageWorker } from '../../../lib/page/job.ts'
import { type Selected, selectElements } from '../../../lib/page/selected.ts'
import { cleanText } from '../../../lib/text/clean.ts'
import { cutBytes } from '../../../lib/text/cut-bytes.ts'
import type { Fetched } from '../../../ports/fetch/port.ts'
import type { Ports } from '../../../ports/ports.ts'
import { type Observation, pickHeaders } from './observation.ts'

type Order = {
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
  { selector, maxBytes }: Order,
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
export const fetchText = async ({ fetch, workers }: World, order: Order): Promise<Observation> => {
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
