import express, { type Response, Router } from 'express'
import type { AccountDeps } from '../../mcp/accounts/deps.ts'
import type { Interaction, Interactions, SpendingAllowance } from '../../mcp/accounts/oauth/interactions.ts'
import { ToolError } from '../../mcp/kernel/error.ts'
import type { Shell } from '../../mcp/kernel/page.ts'
import { isLoopbackName } from '../../mcp/lib/loopback.ts'
import { clean } from '../../mcp/lib/text/clean.ts'
import { type Html, html } from '../../mcp/lib/text/html.ts'
import { renderAccountPage, sendPage } from './answer.ts'
import { findSession } from './browser-session.ts'
import { pagePath } from './return-path.ts'

type Deps = Pick<AccountDeps, 'store' | 'clock' | 'origin' | 'url' | 'resources'>

/** Initial values of a form: enough for a few calls, too little to miss. */
const defaults = { per_call: '0.10', per_day: '1.00' } as const

const amountForm = /^\d{1,6}(?:\.\d{1,6})?$/

/** Target of an answer, in words and as a source of `form-action`; undefined for an address that no policy can name. */
const describeRedirect = (address: string): { words: string; source: string | undefined } => {
  const { protocol, hostname, host, origin } = new URL(address)
  if (!/^https?:$/.test(protocol)) {
    const app = /^[a-z][a-z0-9+.-]*:$/.test(protocol) ? protocol : undefined
    return { words: `the program on your computer that opens ${protocol} links`, source: app }
  }
  const source = /^https?:\/\/[\w.:[\]-]+$/.test(origin) ? origin : undefined
  return {
    words: isLoopbackName(hostname) ? `a program on this computer (${hostname})` : host,
    source,
  }
}

type Fields = {
  per_call: string
  per_day: string
  /** Slugs that are ticked. */
  services: readonly string[]
  spend: 'some' | 'nothing'
}

type Service = { slug: string; name: string; terms: string | undefined }

/** The services that a client reaches by what it asked for. */
const reachable = ({ resources }: Deps, { resource }: Interaction): Service[] =>
  resources.flatMap(({ slug, name, terms }) =>
    slug !== undefined && (resource?.slug === undefined || resource.slug === slug)
      ? [{ slug, name, terms: terms?.() }]
      : [],
  )

const formatName = ({ client }: Interaction): string => clean(client.name, 80) ?? 'A client without a name'

const warning = ({ client }: Interaction): Html | false => {
  if (client.isLocalOnly)
    return html`<p class="note">Any program on this computer can say that it is this client. Go on only if you have just started the connection yourself.</p>`
  return (
    client.host === undefined &&
    html`<p class="note">This client has registered itself: nobody has checked its name. Go on only if you have just started the connection yourself.</p>`
  )
}

const serviceBoxes = (services: readonly Service[], ticked: readonly string[]): Html | false =>
  services.length > 1 &&
  html`<fieldset><legend>Services that it may pay</legend>
${services.map(
  ({ slug, name }) =>
    html`<label><input type="checkbox" name="services" value="${slug}"${ticked.includes(slug) && html` checked`}> ${name}</label>\n`,
)}</fieldset>`

const termsLine = (services: readonly Service[]): Html | false => {
  const links = services.flatMap(({ name, terms }) =>
    terms === undefined ? [] : [html`<a href="${terms}" target="_blank">${name}</a>`],
  )
  return (
    links.length > 0 &&
    html`<p class="note">By allowing it you accept the terms of ${links.map((link, at) => [at > 0 && ' and ', link])}.</p>`
  )
}

const consentPage = (
  interaction: Interaction,
  services: readonly Service[],
  fields: Fields,
  problem: string | undefined,
) => {
  const name = formatName(interaction)
  const { client, redirect, resource } = interaction
  const { words, source } = describeRedirect(redirect)
  const isSpending = fields.spend === 'some'
  return {
    title: `Let ${name} act for you?`,
    // Browsers hold `form-action` against every redirect after a POST.
    ...(source !== undefined && { policy: { 'form-action': `'self' ${source}` } }),
    body: html`<h1>Let “${name}” act for you?</h1>
<p>It says that this is its name. It will call ${resource?.name ?? 'this server'} as you, until you disconnect it on the page of your account, or do not use it for 30 days.</p>
<dl>
<dt>Client</dt><dd>${client.host ?? `${name}, registered by itself`}</dd>
<dt>Answers go to</dt><dd>${words}</dd>
<dt>It may</dt><dd>use the tools there in your name, read and change what your account has there, and spend what you say below</dd>
<dt>It may not</dt><dd>sign in, add keys or change these limits</dd>
</dl>
${warning(interaction)}
${problem !== undefined && html`<p id="status" class="bad" role="alert">${problem}</p>`}
<form method="post">
<fieldset><legend>What it may spend of your balance</legend>
<label><input type="radio" name="spend" value="some"${isSpending && html` checked`}> Up to these amounts, in US dollars</label>
<label for="per_call">For one call</label>
<input id="per_call" name="per_call" inputmode="decimal" autocomplete="off" value="${fields.per_call}">
<label for="per_day">On one day (UTC)</label>
<input id="per_day" name="per_day" inputmode="decimal" autocomplete="off" value="${fields.per_day}">
<label><input type="radio" name="spend" value="nothing"${!isSpending && html` checked`}> Nothing</label>
</fieldset>
${serviceBoxes(services, fields.services)}
${termsLine(services)}
<button name="decision" value="allow">Allow</button>
<button name="decision" value="deny" class="quiet" formnovalidate>Do not allow</button>
</form>`,
  }
}

const first = (value: unknown): string => {
  const [one] = [value].flat()
  return typeof one === 'string' ? one.trim().slice(0, 40) : ''
}

const readFields = (body: Record<string, unknown>, services: readonly Service[]): Fields => {
  const ticked = [body.services].flat()
  return {
    per_call: first(body.per_call),
    per_day: first(body.per_day),
    services: services.map(({ slug }) => slug).filter(slug => services.length < 2 || ticked.includes(slug)),
    spend: body.spend === 'some' ? 'some' : 'nothing',
  }
}

/** Fault in a form, in a sentence that names the field. */
const faultOf = ({ per_call, per_day, services, spend }: Fields): string | undefined => {
  if (spend === 'nothing') return undefined
  for (const [name, value] of Object.entries({ 'For one call': per_call, 'On one day': per_day }))
    if (!amountForm.test(value)) return `${name}: write an amount of dollars, such as 0.10.`
  if (Number(per_call) > Number(per_day)) return 'For one call: it cannot be more than what is for one day.'
  return services.length === 0 ? 'Services: tick one at least, or let it spend nothing.' : undefined
}

const toAllowance = (
  { per_call, per_day, services: ticked, spend }: Fields,
  interaction: Interaction,
  services: readonly Service[],
): SpendingAllowance => {
  if (spend === 'nothing') return null
  const isAll = interaction.resource?.slug === undefined && ticked.length === services.length
  return { per_call, per_day, services: isAll ? null : ticked }
}

/**
 * A person signs in for a client, and says what it may do: `/auth/interaction/{uid}`. The client's name is a stranger's word, so the
 * page says where its answer goes; the policy of this page lets the form end there.
 */
export const consentPages = (deps: Deps, interactions: Interactions): Router => {
  const router = Router()
  const path = '/auth/interaction/:uid'

  const toSignIn = (res: Response, uid: string): void => {
    const query = new URLSearchParams({ return: `/auth/interaction/${uid}` })
    res.redirect(303, pagePath(deps, `/auth/sign-in?${query}`))
  }

  const show = (res: Response, interaction: Interaction, fields?: Fields, problem?: string): void => {
    const services = reachable(deps, interaction)
    const untouched: Fields = { ...defaults, services: services.map(({ slug }) => slug), spend: 'some' }
    const page = consentPage(interaction, services, fields ?? untouched, problem)
    sendPage(res, { ...page, status: problem === undefined ? 200 : 422 })
  }

  const showDecided = (res: Response, next: string): void => {
    const body = html`<h1>You have answered already</h1>
<p><a href="${next}">Go back to the client</a></p>`
    sendPage(res, { title: 'Answered', body })
  }

  router.get(path, async (req, res) => {
    const { uid } = req.params
    const interaction = await interactions.read(req, res, uid)
    const session = await findSession(deps, req)
    if (!session) return toSignIn(res, uid)
    if (interaction.prompt === 'login') return interactions.signIn(req, res, uid, session.account)
    if (interaction.decided !== undefined) return showDecided(res, interaction.decided)
    if (interaction.account !== session.account)
      throw new ToolError('forbidden', 'Another account is signed in than the one that was asked.', {
        hint: 'Go back to your client and connect again.',
      })
    show(res, interaction)
  })

  router.post(path, express.urlencoded({ extended: false, limit: '8kb' }), async (req, res) => {
    const { uid } = req.params
    const body: Record<string, unknown> = req.body ?? {}
    const interaction = await interactions.read(req, res, uid)
    const session = await findSession(deps, req)
    if (!session) return toSignIn(res, uid)
    if (body.decision === 'deny') return interactions.deny(req, res, uid)
    if (body.decision !== 'allow')
      throw new ToolError('invalid_input', 'decision: must be allow or deny.', {
        hint: 'Open the page again.',
      })
    const services = reachable(deps, interaction)
    const fields = readFields(body, services)
    const fault = faultOf(fields)
    if (fault !== undefined) return show(res, interaction, fields, fault)
    const allowance = toAllowance(fields, interaction, services)
    return interactions.allow(req, res, uid, { account: session.account, allowance })
  })

  return router
}

/** A page that says why a sign-in cannot go on, for people. */
export const renderProblem = (shell: Shell, { title, detail }: { title: string; detail: string }) =>
  renderAccountPage(shell, { title, body: html`<h1>${title}</h1>\n<p>${detail}</p>` })
