import type { Route } from '../mcp/kernel/http.ts'
import { type Representation, sendRepresentation, toRepresentation } from '../mcp/kernel/representation.ts'
import { type Form, formOf } from './accept.ts'
import { htmlOf, type Page, pageHeaders } from './page.ts'
import { json } from './send.ts'

const typeOf: Record<Form, string> = {
  html: 'text/html; charset=utf-8',
  markdown: 'text/markdown; charset=utf-8',
  json,
}

const textOf = async (form: Form, page: Page): Promise<string> => {
  if (form === 'html') return htmlOf(page)
  return form === 'json' ? `${JSON.stringify(page.data, null, 2)}\n` : page.markdown
}

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
    const make = async () => toRepresentation(typeOf[form], await textOf(form, await read()))
    return live ? make : kept(address, make)
  }
  const forms: Record<Form, () => Promise<Representation>> = {
    html: form('html'),
    markdown: form('markdown'),
    json: form('json'),
  }
  return {
    method: 'GET',
    path,
    async handle(req, res) {
      const form = formOf(req.headers.accept)
      await sendRepresentation(req, res, await forms[form](), {
        maxAge: minute,
        vary: 'Accept, Origin',
        ...(form === 'html' && { headers: pageHeaders }),
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
  const bytes = kept(address, async () => toRepresentation(type, read()))
  return {
    method: 'GET',
    path,
    async handle(req, res) {
      await sendRepresentation(req, res, await bytes(), { maxAge, vary: 'Origin' })
    },
  }
}
