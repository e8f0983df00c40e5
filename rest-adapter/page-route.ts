import type { Request, Response, Route } from '../mcp/kernel/http.ts'
import type { RenderedPage, Shell } from '../mcp/kernel/page.ts'
import { type Representation, sendRepresentation, toRepresentation } from '../mcp/kernel/representation.ts'
import { chooseForm, type DocumentForm } from './accept.ts'
import { type TextPage, toPage } from './page.ts'
import { json } from './send.ts'

const contentTypes: Record<DocumentForm, string> = {
  html: 'text/html; charset=utf-8',
  markdown: 'text/markdown; charset=utf-8',
  json,
}

type Rendering = { representation: Representation; headers?: RenderedPage['headers'] }

const render = async (shell: Shell, form: DocumentForm, page: TextPage): Promise<Rendering> => {
  if (form === 'html') {
    const { html, headers } = shell(await toPage(page))
    return { representation: toRepresentation(contentTypes.html, html), headers }
  }
  const text = form === 'json' ? `${JSON.stringify(page.data, null, 2)}\n` : page.markdown
  return { representation: toRepresentation(contentTypes[form], text) }
}

/** Sends a page that was made for this request, compressed as its browser likes it. */
export const sendPage = (
  req: Request,
  res: Response,
  { html, headers }: RenderedPage,
  cache = 'no-store',
): Promise<void> =>
  sendRepresentation(req, res, toRepresentation(contentTypes.html, html), {
    maxAge: 0,
    vary: 'Accept, Origin',
    headers: { ...headers, 'Cache-Control': cache },
  })

const minute = 60

/**
 * Keeps what `make` wrote for as long as the address it was written for stays the same, and for so many seconds: texts name absolute
 * URLs, and what else in them changes while the program runs may be a little old.
 */
export const keepFor = <T>(seconds: number, address: () => string, make: () => Promise<T>) => {
  let last: { at: string; until: number; value: Promise<T> } | undefined
  return (): Promise<T> => {
    const at = address()
    if (last?.at === at && performance.now() < last.until) return last.value
    const value = make()
    last = { at, until: performance.now() + seconds * 1000, value }
    value.catch(() => {
      last = undefined
    })
    return value
  }
}

/**
 * Serves a page by `Accept`: HTML, Markdown or JSON; Markdown to whoever does not say. A `live` page is made for every
 * reader, any other once.
 */
export const pageRoute = (
  shell: Shell,
  path: string,
  address: () => string,
  buildPage: (params: Readonly<Record<string, string>>) => TextPage | Promise<TextPage>,
  live = false,
): Route => {
  const form = (form: DocumentForm) => {
    const make = async (params: Readonly<Record<string, string>>) =>
      render(shell, form, await buildPage(params))
    return live ? make : keepFor(Infinity, address, () => make({}))
  }
  const forms: Record<DocumentForm, (params: Readonly<Record<string, string>>) => Promise<Rendering>> = {
    html: form('html'),
    markdown: form('markdown'),
    json: form('json'),
  }
  return {
    method: 'GET',
    path,
    async handle(req, res, params) {
      const form = chooseForm(req.headers.accept)
      const { representation, headers } = await forms[form](params)
      await sendRepresentation(req, res, representation, {
        maxAge: minute,
        vary: 'Accept, Origin',
        ...(headers && { headers }),
      })
    },
  }
}

type TextOptions = {
  /** Seconds that it may be kept; default a minute. One that waits for something is kept here as long. */
  maxAge?: number | undefined
  headers?: (() => Readonly<Record<string, string>> | undefined) | undefined
}

/** Serves one text that does not depend on who asks. */
export const textRoute = (
  path: string,
  type: string,
  address: () => string,
  buildText: () => string | Promise<string>,
  { maxAge = minute, headers }: TextOptions = {},
): Route => {
  const seconds = maxAge === minute ? Infinity : maxAge
  const bytes = keepFor(seconds, address, async () => toRepresentation(type, await buildText()))
  return {
    method: 'GET',
    path,
    async handle(req, res) {
      await sendRepresentation(req, res, await bytes(), {
        maxAge,
        vary: 'Origin',
        headers: headers?.() ?? {},
      })
    },
  }
}
