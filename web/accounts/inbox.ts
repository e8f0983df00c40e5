import { type Request, Router } from 'express'
import { z } from 'zod'
import type { AccountDeps } from '../../mcp/accounts/deps.ts'
import { findMark, markRead, readNewest } from '../../mcp/accounts/inbox/events.ts'
import {
  findWebhook,
  listDeadLetters,
  removeWebhook,
  resendDeadLetter,
  setWebhook,
} from '../../mcp/accounts/inbox/webhook.ts'
import { ToolError } from '../../mcp/kernel/error.ts'
import { type Html, html } from '../../mcp/lib/text/html.ts'
import { form, sendPage } from './answer.ts'
import { formFields } from './balance.ts'
import { requireSession } from './browser-session.ts'
import { pagePath } from './return-path.ts'

const schema = z.object({
  up_to: z
    .string()
    .regex(/^\d{1,15}$/)
    .optional(),
  url: z.string().max(1000).optional(),
  letter: z.string().max(100).optional(),
})

const readFields = ({ body }: Request): z.infer<typeof schema> => {
  const { data } = schema.safeParse(body ?? {})
  if (data) return data
  throw new ToolError('invalid_input', 'The form cannot be read. Open the page again.')
}

/** Events that the page shows, the newest first. */
const shownEvents = 50

/** Addresses and events that one network address may have us call in a minute. */
const callsPerMinute = 10

type InboxPage = {
  base: string
  events: Awaited<ReturnType<typeof readNewest>>
  read: number
  webhook: Awaited<ReturnType<typeof findWebhook>>
  deadLetters: Awaited<ReturnType<typeof listDeadLetters>>
}

const toTime = (time: string): string => `${time.slice(0, 16).replace('T', ' ')} UTC`

const eventRow = (
  read: number,
  { id, at, service, type, subject, data }: InboxPage['events'][number],
): Html => {
  const facts = Object.entries(data).flatMap(([name, value]) =>
    value === null || typeof value === 'object' ? [] : [`${name.replaceAll('_', ' ')} ${String(value)}`],
  )
  return html`<li>
<p><strong>${service}: ${type.replaceAll(/[._]/g, ' ')}</strong>${Number(id) > read ? ' · new' : ''}</p>
<p class="note">${[toTime(at), ...(subject === null || facts.some(fact => fact.endsWith(subject)) ? [] : [subject]), ...facts].join(' · ')}</p></li>
`
}

const webhookPart = ({ base, webhook, deadLetters }: InboxPage): Html => html`<h2>Webhook</h2>
<p>Each event is sent to one address of yours, in order, signed as Standard Webhooks says.</p>
${
  webhook === undefined
    ? ''
    : html`<dl><dt>Address</dt><dd><code>${webhook.url}</code></dd><dt>Secret</dt><dd><code>${webhook.secret}</code></dd>${webhook.problem === null ? '' : html`<dt>Last try</dt><dd>${webhook.problem} It is sent again at ${toTime(webhook.next_at)}.</dd>`}</dl>
${form(`${base}/inbox/webhook/remove`, {}, html`<button class="quiet">Remove the address</button>`)}`
}
${form(
  `${base}/inbox/webhook`,
  {},
  html`<label for="url">${webhook === undefined ? 'Address' : 'Another address, with a new secret'} <span class="note">(https)</span></label>
<input id="url" name="url" type="url" required maxlength="500" autocomplete="off">
<button class="quiet">Send events there</button>`,
)}
${
  deadLetters.length === 0
    ? ''
    : html`<h3>Not delivered</h3>
<ul class="rows">${deadLetters.map(
        ({
          id,
          event,
          problem,
          at,
        }) => html`<li><p>Event ${event} · ${toTime(at)}</p><p class="note">${problem}</p>
${form(`${base}/inbox/webhook/resend`, { letter: id }, html`<button class="quiet" aria-label="Send event ${event} again">Send again</button>`)}</li>
`,
      )}</ul>`
}`

const inboxPage = (page: InboxPage): Html => {
  const { base, events, read } = page
  const [newest] = events
  return html`<h1>Inbox</h1>
<p>What happened to you at all services. Programs read it with <code>list_events</code>, <code>wait_events</code> or <code>GET /v1/events</code>.</p>
${events.length === 0 ? html`<p>Nothing has happened yet.</p>` : html`<ul class="rows">${events.map(each => eventRow(read, each))}</ul>`}
${newest && Number(newest.id) > read ? form(`${base}/inbox/read`, { up_to: newest.id }, html`<button class="quiet">Mark all as read</button>`) : ''}
${webhookPart(page)}`
}

/** `/auth/inbox`: what happened to a person, and where it is sent. */
export const inboxRoutes = (deps: AccountDeps): Router => {
  const router = Router()
  const { store } = deps
  const path = (to: string) => pagePath(deps, `/auth/${to}`)

  router.get('/auth/inbox', async (req, res) => {
    const { account } = await requireSession(deps, req)
    const read = await findMark(store, account)
    const body = inboxPage({
      base: path('').slice(0, -1),
      read,
      events: await readNewest(store, account, shownEvents),
      webhook: await findWebhook(deps, account),
      deadLetters: await listDeadLetters(store, account),
    })
    sendPage(res, { title: 'Inbox', tab: 'inbox', body })
  })

  router.post('/auth/inbox/read', formFields, async (req, res) => {
    const { account } = await requireSession(deps, req, { returnTo: '/auth/inbox' })
    await markRead(store, account, Number(readFields(req).up_to ?? 0))
    res.redirect(303, path('inbox'))
  })

  router.post('/auth/inbox/webhook', formFields, async (req, res) => {
    const { account } = await requireSession(deps, req, { returnTo: '/auth/inbox', fresh: true })
    await deps.takeLimit('webhook', req.ip, callsPerMinute)
    await setWebhook(deps, account, readFields(req).url ?? '')
    res.redirect(303, path('inbox'))
  })

  router.post('/auth/inbox/webhook/remove', formFields, async (req, res) => {
    const { account } = await requireSession(deps, req, { returnTo: '/auth/inbox' })
    await removeWebhook(deps, account)
    res.redirect(303, path('inbox'))
  })

  router.post('/auth/inbox/webhook/resend', formFields, async (req, res) => {
    const { account } = await requireSession(deps, req, { returnTo: '/auth/inbox' })
    await deps.takeLimit('webhook', req.ip, callsPerMinute)
    await resendDeadLetter(deps, account, readFields(req).letter ?? '')
    res.redirect(303, path('inbox'))
  })
  return router
}
