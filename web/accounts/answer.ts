import type { Response } from 'express'
import { type Html, html } from '../../mcp/lib/text/html.ts'
import { renderPage } from './page.ts'
import { style } from './style.ts'

type Shown = { title: string; body: Html; script?: string; status?: number }

/** Answers with a page of accounts. */
export const sendPage = (res: Response, { title, body, script, status = 200 }: Shown): void => {
  const page = renderPage({ title, style, body: body.html, ...(script !== undefined && { script }) })
  res.status(status).set(page.headers).send(page.html)
}

/** A form that posts to a path of ours: hidden fields, and what stands in it. */
export const form = (action: string, fields: Readonly<Record<string, string>>, content: Html): Html =>
  html`<form method="post" action="${action}">${Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}${content}</form>`
