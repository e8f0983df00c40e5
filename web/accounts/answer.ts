import type { Response } from 'express'
import type { Page, Shell } from '../../mcp/kernel/page.ts'
import { type Html, html } from '../../mcp/lib/text/html.ts'

type AccountPage = Omit<Page, 'body'> & { body: Html; status?: number }

/** A page of accounts: one column, kept by nobody. */
export const renderAccountPage = (shell: Shell, { body, ...page }: Omit<AccountPage, 'status'>) => {
  const { html, headers } = shell({ section: 'Account', width: 'narrow', ...page, body: body.html })
  return {
    html,
    headers: { ...headers, 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' },
  }
}

/** Answers with a page of accounts; `openAccountPages` puts the layout among the locals of its app. */
export const sendPage = (res: Response, { status = 200, ...page }: AccountPage): void => {
  const { html, headers } = renderAccountPage(res.app.locals.shell as Shell, page)
  res.status(status).set(headers).send(html)
}

/** A form that posts to a path of ours: hidden fields, and what stands in it. */
export const form = (action: string, fields: Readonly<Record<string, string>>, content: Html): Html =>
  html`<form method="post" action="${action}">${Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}${content}</form>`
