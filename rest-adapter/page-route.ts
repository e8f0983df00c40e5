import type { Route } from '../mcp/kernel/http.ts'
import { type Form, formOf } from './accept.ts'
import { htmlOf, type Page, pageHeaders } from './page.ts'
import { json, send } from './send.ts'

const typeOf: Record<Form, string> = {
  html: 'text/html; charset=utf-8',
  markdown: 'text/markdown; charset=utf-8',
  json,
}

const written = async (form: Form, page: Page): Promise<Buffer> => {
  if (form === 'html') return Buffer.from(await htmlOf(page))
  return Buffer.from(form === 'json' ? `${JSON.stringify(page.data, null, 2)}\n` : page.markdown)
}

const cachedFor = (seconds: number) => ({ 'Cache-Control': `public, max-age=${seconds}` })

const minute = 60

/**
 * Keeps what `make` wrote for as long as the address it was written for stays the same: texts name absolute URLs, and
 * nothing else in them changes while the program runs.
 */
const kept = <T>(address: () => string, make: () => Promise<T>) => {
  let last: { at: string; value: Promise<T> } | undefined
  return (): Promise<T> => {
    const at = address()
    if (last?.at === at) return last.value
    const value = make()
    last = { at, value }
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
  path: string,
  address: () => string,
  read: () => Page | Promise<Page>,
  live = false,
): Route => {
  const form = (form: Form) => {
    const make = async () => written(form, await read())
    return live ? make : kept(address, make)
  }
  const forms: Record<Form, () => Promise<Buffer>> = {
    html: form('html'),
    markdown: form('markdown'),
    json: form('json'),
  }
  return {
    method: 'GET',
    path,
    async handle(req, res) {
      const form = formOf(req.headers.accept)
      send(res, 200, typeOf[form], await forms[form](), {
        ...cachedFor(minute),
        Vary: 'Accept, Origin',
        ...(form === 'html' && pageHeaders),
      })
    },
  }
}

/** Serves one text that does not depend on who asks and may be cached for `maxAge` seconds. */
export const textRoute = (
  path: string,
  type: string,
  address: () => string,
  read: () => string,
  maxAge = minute,
): Route => {
  const bytes = kept(address, async () => Buffer.from(read()))
  return {
    method: 'GET',
    path,
    async handle(_req, res) {
      send(res, 200, type, await bytes(), cachedFor(maxAge))
    },
  }
}
