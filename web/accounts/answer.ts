import type { Response } from 'express'
import type { Page, Shell } from '../../mcp/kernel/page.ts'
import { type Html, html } from '../../mcp/lib/text/html.ts'

/** The pages of a signed-in person, by their links. */
const tabs = { account: 'Account', balance: 'Balance', activity: 'Activity', inbox: 'Inbox' } as const

type Tab = keyof typeof tabs

type AccountPage = Omit<Page, 'body'> & { body: Html; status?: number; tab?: Tab }

const tabLinks = (current: Tab, path: (to: string) => string): Html =>
  html`<nav class="tabs" aria-label="What is yours">${Object.entries(tabs).map(
    ([tab, text]) =>
      html`<a href="${path(`/auth/${tab}`)}"${tab === current && html` aria-current="page"`}>${text}</a>`,
  )}</nav>
`

/** A page of accounts: one column, kept by nobody. */
export const renderAccountPage = (shell: Shell, { body, ...page }: Omit<AccountPage, 'status' | 'tab'>) => {
  const { html, headers } = shell({ section: 'Account', width: 'narrow', ...page, body: body.html })
  return {
    html,
    headers: { ...headers, 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' },
  }
}

/** Answers with a page of accounts; `openAccountPages` puts the layout among the locals of its app. */
export const sendPage = (res: Response, { status = 200, tab, ...page }: AccountPage): void => {
  const { shell, path } = res.app.locals as { shell: Shell; path: (to: string) => string }
  const body = tab === undefined ? page.body : html`${tabLinks(tab, path)}${page.body}`
  const rendered = renderAccountPage(shell, { ...page, body })
  res.status(status).set(rendered.headers).send(rendered.html)
}

/** A form that posts to a path of ours: hidden fields, and what stands in it. */
export const form = (action: string, fields: Readonly<Record<string, string>>, content: Html): Html =>
  html`<form method="post" action="${action}">${Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}${content}</form>`
