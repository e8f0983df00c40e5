import { call, type Outcome, type World } from '../mcp/kernel/call.ts'
import { costText } from '../mcp/kernel/cost.ts'
import { PaymentRequired, ToolError, toToolError } from '../mcp/kernel/error.ts'
import {
  leaving,
  type PaymentEvidence,
  parseUrlQuery,
  type Request,
  type Response,
  type Route,
  readBytes,
  readEvidence,
} from '../mcp/kernel/http.ts'
import type { Page, RenderedPage } from '../mcp/kernel/page.ts'
import { missingFor } from '../mcp/kernel/pipeline/provide.ts'
import { limitReads } from '../mcp/kernel/read-limit.ts'
import type { Service } from '../mcp/kernel/service.ts'
import type { Visitor } from '../mcp/kernel/sign-in.ts'
import { type AnyTool, isPriced } from '../mcp/kernel/tool.ts'
import { isRecord } from '../mcp/lib/json.ts'
import { type Html, html } from '../mcp/lib/text/html.ts'
import { chooseForm } from './accept.ts'
import { codeSamples } from './code-samples.ts'
import { toolFacts } from './discovery/registry.ts'
import { messageUrl } from './discovery/service-text.ts'
import { originHost } from './host.ts'
import { sendPage } from './page-route.ts'
import { type AskPayment, ownCard, type Paywall, readInvoice } from './paywall.ts'
import { shortCost } from './price.ts'
import { refusalHeaders } from './refuse.ts'
import { compileSchemas } from './schema.ts'
import { schemaTable } from './schema-table.ts'
import { json, send } from './send.ts'
import { parseToolForm, toFields, toolFields } from './tool-form.ts'

/** A page with more values than this is read by nobody; the JSON below the tree has all. */
const maxValues = 1_500

/** Levels open at once: the fields of an answer, and those of its parts. */
const openDepth = 2

const scalar = (value: unknown): Html =>
  typeof value === 'string'
    ? html`<span class="words">${value}</span>`
    : html`<span class="literal">${String(value)}</span>`

/** Columns that a list may have to be a table: more are not seen at once. */
const maxColumns = 8

const hasParts = (value: unknown): value is object => value !== null && typeof value === 'object'

/** The names of what a list of records has, where rows are values for the most part; empty for what is no table. */
const columnsOf = (value: unknown): string[] => {
  if (!Array.isArray(value) || !value.every(isRecord)) return []
  const columns = [...new Set(value.flatMap(Object.keys))]
  const isTable = value.every(row => {
    const cells = Object.values(row)
    return cells.filter(hasParts).length * 2 < cells.length
  })
  return isTable && columns.length <= maxColumns ? columns : []
}

const countText = (value: object, count: number): string =>
  `${count} ${Array.isArray(value) ? 'item' : 'field'}${count === 1 ? '' : 's'}`

/** An answer as a tree of details that open, with lists of records as tables: works without scripts. */
const answerTree = (output: object): Html => {
  let left = maxValues
  /** A cell of a table: what has parts is folded, and a list of values is a line. */
  const cell = (value: unknown): Html | false => {
    if (value === undefined || value === null) return false
    if (!hasParts(value)) return scalar(value)
    const parts = Object.entries(value)
    if (Array.isArray(value) && !value.some(hasParts))
      return html`<span class="words">${value.join(', ')}</span>`
    return html`<details><summary>${countText(value, parts.length)}</summary><ul>${parts.map(([key, each]) => entry(key, each, openDepth))}</ul></details>`
  }
  const list = (name: string, columns: readonly string[], rows: readonly Record<string, unknown>[]): Html => {
    const shown = rows.slice(0, Math.ceil(Math.max(0, left) / columns.length))
    left -= rows.length * columns.length
    return html`<div class="wide" tabindex="0" role="region" aria-label="${name}"><table><thead><tr>${columns.map(column => html`<th scope="col">${column.replaceAll('_', ' ')}</th>`)}</tr></thead><tbody>
${shown.map(row => html`<tr>${columns.map(column => html`<td class="words">${cell(row[column])}</td>`)}</tr>\n`)}</tbody></table></div>`
  }
  const entry = (name: string, value: unknown, depth: number): Html | false => {
    if (left-- <= 0) return false
    if (!Array.isArray(value) && !isRecord(value))
      return html`<li><span class="key">${name}</span> ${scalar(value)}</li>`
    const inner = Object.entries(value)
    const count = countText(value, inner.length)
    if (inner.length === 0)
      return html`<li><span class="key">${name}</span> <span class="soft">${count}</span></li>`
    const columns = columnsOf(value)
    if (columns.length > 0)
      return html`<li><span class="key">${name}</span> <span class="soft">${count}</span>${list(name, columns, value as Record<string, unknown>[])}</li>`
    return html`<li><details${depth < openDepth && html` open`}><summary><span class="key">${name}</span> <span class="soft">${count}</span></summary><ul>${inner.map(([key, each]) => entry(key, each, depth + 1))}</ul></details></li>`
  }
  const rows = Object.entries(output).map(([name, value]) => entry(name, value, 1))
  return html`<ul class="tree">${rows}</ul>${left < 0 && html`<p class="note">More is in the JSON below.</p>`}`
}

type Tool = { world: World; service: Service; tool: AnyTool }

export const needsAccount = ({ service, tool }: Omit<Tool, 'world'>): boolean =>
  !(tool.auth ?? service.auth).includes('public')

/** Tags that show a tool at a glance: its price, whether it only reads, whom it asks for, whether it is off and why. */
export const toolTags = ({ world, service, tool }: Tool): Html => {
  const missing = missingFor(world, tool)
  return html`<span class="tag${isPriced(tool) && ' on'}">${shortCost(tool)}</span> <span class="tag">${tool.hints.readOnly ? 'only reads' : 'changes something'}</span>${needsAccount({ service, tool }) && html` <span class="tag">needs an account</span>`}${missing.length > 0 && html` <span class="tag bad">off: ${missing.join(', ')} is not configured</span>`}`
}

const limitTexts = ({ world, tool }: Tool): string[] => [
  `${world.perMinute} calls a minute for one client, over all tools`,
  ...(tool.limits ?? []).map(limit => {
    const count = 'perMinute' in limit ? `${limit.perMinute} a minute` : `${limit.perDay} a day`
    if (limit.per === 'all') return `${count} for everybody together`
    return limit.per === 'client' ? `${count} for one client` : `${count} for each of what it is about`
  }),
]

type Run = {
  fields: Readonly<Record<string, string>>
  outcome?: Outcome & { ms: number; isPersons: boolean }
  error?: ToolError
}

/** A page of a price is quoted for nobody, and a quote is for whom it was made: then the payment runs for nobody, too. */
const asNobody = { 'pay.as': 'nobody' }

/** Fields of a form that pay its call; none of a tool has a dot in its name. */
const isPayField = (name: string): boolean => name.startsWith('pay.')

const withoutPayment = (fields: Run['fields']): Run['fields'] =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !isPayField(name)))

/** The payment that a form brings, as programs bring it in headers. */
const withFormPayment = (brought: PaymentEvidence, fields: Run['fields']): PaymentEvidence => {
  const { 'pay.signature': signature, 'pay.token': token, 'pay.preimage': preimage = '' } = fields
  return {
    ...brought,
    headers: {
      ...brought.headers,
      ...(signature && { 'payment-signature': signature }),
      ...(token && { authorization: `L402 ${token}:${preimage.trim().toLowerCase()}` }),
    },
  }
}

/** A call whose payment may have moved money is made again with the same payment: it is not charged twice. */
const againForm = (action: string, { fields, error }: Run): Html | false =>
  error !== undefined &&
  (error.extra.charged === true || error.code === 'payment_pending' || error.extra.retryable === true) &&
  Object.keys(fields).some(isPayField) &&
  html`<form method="post" action="${action}#answer">${Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}<button>Ask again</button><p class="note">With the same payment: you are not charged twice.</p></form>`

/** Where to sign in, and come back to the page of a tool; a service at a host of its own has no accounts there. */
const signInUrl = ({ world: { site, base }, service, tool }: Tool): string => {
  const own = base(service)
  const back = own.startsWith(`${site.url}/`) ? `${own.slice(site.url.length)}/tools/${tool.name}` : undefined
  return `${site.url}/auth/sign-in${back === undefined ? '' : `?${new URLSearchParams({ return: back })}`}`
}

const answerCard = (of: Tool, run: Run, isSignedIn: boolean): Html | false => {
  const { site, base } = of.world
  const { outcome, error } = run
  const { 'pay.back': back } = run.fields
  if (error) {
    const { message, extra, code } = error
    return html`<section class="card" id="answer" role="alert"><h2>${error.toProblem().title}</h2>
<p>${message}</p>
${extra.hint && html`<p class="soft">${extra.hint}</p>`}
${code === 'unauthenticated' && !isSignedIn && html`<p><a class="button" href="${signInUrl(of)}">Sign in</a></p>`}
${againForm(`${base(of.service)}/tools/${of.tool.name}`, run)}
<p class="note">Status ${error.status} · <a href="${site.url}/problems/${code}">what that means</a>${extra.charged === false && ' · nothing was charged'}${extra.ref && html` · reference ${extra.ref}`}</p></section>`
  }
  if (!outcome) return false
  const { output, text, receipt, ms, quota, replayed, isPersons } = outcome
  const free = replayed ? 'the answer of before, not paid again' : 'free'
  const cost = receipt
    ? html`<a href="${site.url}/receipts/${receipt.id}">paid, the receipt</a>`
    : quota
      ? 'free tier'
      : free
  return html`<section class="card" id="answer" aria-label="The answer"><p class="sentence">${text}</p>
${back?.startsWith(`${site.url}/`) && html`<p><a class="button" href="${back}">Go on</a></p>`}
<p class="note">Answered in ${Math.round(ms)} ms · ${cost} · ${isPersons ? 'as you' : 'as nobody'}</p>
${answerTree(output)}
<details><summary>As JSON</summary><pre><code>${JSON.stringify(output, null, 2)}</code></pre></details></section>`
}

const renderBody = (of: Tool, isSignedIn: boolean, run?: Run): Html => {
  const { world, service, tool } = of
  const { input, output } = compileSchemas(tool)
  const base = world.base(service)
  const [example] = tool.examples
  const fields = toolFields(input, run?.fields ?? toFields(input, example), run?.error?.extra.issues)
  return html`<h1>${tool.title}</h1>
<p>${toolTags(of)}</p>
<p class="lead">${tool.description}</p>
${run && answerCard(of, run, isSignedIn)}
<h2 id="try">Try it</h2>
<form class="card" method="post" action="${base}/tools/${tool.name}#answer"${!isPriced(tool) && html` data-inplace`}>
${fields.length > 0 ? fields : html`<p>It takes no input.</p>`}
<button>Run</button>
<p class="note">${isSignedIn ? 'It runs as you.' : html`It runs as nobody; <a href="${signInUrl(of)}">sign in</a> to run it as you.`}${tool.needsSetup && ' The example names something that has to be made first.'}</p>
</form>
<h2 id="code">From a program</h2>
${codeSamples(base, service, tool, messageUrl(base, service))}
<h2 id="input">Input</h2>
${schemaTable(input, 'Input')}
<h2 id="answer-fields">Answer</h2>
${schemaTable(output, 'Answer')}
<h2 id="limits">Price and limits</h2>
<ul><li>${costText(tool)}</li>${limitTexts(of).map(text => html`<li>${text}</li>`)}<li>A call that fails is not charged; <a href="${world.site.url}/problems">every way it can fail</a></li></ul>`
}

const toPage = (of: Tool, isSignedIn: boolean, run?: Run): Page => {
  const { world, service, tool } = of
  return {
    title: tool.title,
    description: tool.description,
    base: world.base(service),
    above: [
      { title: 'Tools', url: `${world.site.url}/` },
      { title: service.name, url: `${world.base(service)}/` },
    ],
    body: renderBody(of, isSignedIn, run).html,
  }
}

/** True for what a browser sends of a form; programs send JSON. */
const isForm = ({ headers }: Request): boolean =>
  headers['content-type']?.split(';')[0]?.trim().toLowerCase() === 'application/x-www-form-urlencoded' &&
  (headers.accept ?? '').includes('text/html')

/** Bytes of a form that a person fills in. */
const formBytes = 256 << 10

/** A form acts as whoever is signed in, so it must come from a page of this server (Fetch Metadata, RFC 6454). */
const requireOwnForm = ({ headers }: Request): void => {
  const { origin, host, 'sec-fetch-site': site } = headers
  const isOwn = site === undefined ? originHost(origin ?? '') === host : site === 'same-origin'
  if (!isOwn)
    throw new ToolError('forbidden', 'This form belongs to a page of this server.', {
      hint: 'Programs send JSON, with Content-Type: application/json.',
    })
}

const sendAnswer = (res: Response, { world }: Tool, status: number, page: Page, more = {}): void => {
  const { html: text, headers } = world.shell(page)
  send(res, status, 'text/html; charset=utf-8', text, { ...more, ...headers, Vary: 'Accept, Origin' })
}

/** A tool's page for people, with a form that runs it and shows the answer. It works without scripts. */
export const toolPage = (of: Tool, paywall?: Paywall) => {
  const { world, service, tool } = of
  const path = `/tools/${tool.name}`

  /** The page that asks for what the call costs; undefined where only programs can pay it. */
  const payPage = async (
    cause: PaymentRequired,
    fields: Run['fields'],
    person: Visitor | undefined,
  ): Promise<RenderedPage | undefined> => {
    const { structured = { accepts: [] } } = cause.parts
    const lightning = readInvoice(cause)
    const takesBalance = world.visitor !== undefined && tool.prepaid !== false
    if (!cause.parts.structured && !lightning && !takesBalance) return undefined
    const { site } = world
    const own = ownCard(cause.extra.params ?? {})
    const back = own.back?.url ?? fields['pay.back']
    return paywall?.(structured as never, {
      title: tool.title,
      back: { title: 'Back to the tool', url: world.base(service) + path },
      ...own,
      // The ways to pay stand below in another form.
      refused: cause.extra.payment && cause.message.replace(/ ?Pay .*, and repeat the call\.$/s, ''),
      form: {
        action: world.base(service) + path,
        fields: {
          ...withoutPayment(fields),
          ...(back !== undefined && { 'pay.back': back }),
          ...(fields['pay.as'] !== undefined && { 'pay.as': fields['pay.as'] }),
        },
        hasDemo: world.demoPayment !== undefined,
        lightning,
        ...(takesBalance &&
          (person
            ? { balance: { available: await person.purse.available(), topUp: `${site.url}/auth/balance` } }
            : { signIn: signInUrl(of) })),
      },
    })
  }

  const askPayment: AskPayment = async (req, cause, input) =>
    payPage(
      cause,
      { ...toFields(compileSchemas(tool).input, input), ...asNobody },
      await world.visitor?.(req),
    )

  const runForm = async (req: Request, res: Response): Promise<void> => {
    requireOwnForm(req)
    let fields: Run['fields'] = Object.fromEntries(
      new URLSearchParams(String(await readBytes(req, res, formBytes))),
    )
    const person = await world.visitor?.(req)
    const { credentials, request, payment, client } = readEvidence(req)
    const isSignedIn = person !== undefined
    const started = performance.now()
    const show = (status: number, run: Omit<Run, 'fields'>, headers = {}) =>
      sendAnswer(res, of, status, toPage(of, isSignedIn, { fields, ...run }), headers)
    const fail = (cause: unknown) => {
      const error = toToolError(cause)
      show(error.status, { error }, refusalHeaders(error))
    }
    let input: Record<string, unknown>
    try {
      input = parseToolForm(compileSchemas(tool).input, fields)
    } catch (cause) {
      return fail(cause)
    }
    const payer = person && fields['pay.with'] === 'balance' && { ...person, balance: person.purse.balance }
    const asPerson = payer || (fields['pay.as'] === asNobody['pay.as'] ? undefined : person)
    const run = () =>
      call(world, service, tool, {
        channel: 'rest',
        input,
        credentials,
        request,
        client,
        person: asPerson,
        resource: world.base(service) + path,
        evidence: withFormPayment(payment, fields),
        idempotencyKey: fields['pay.key'],
        free: tool.free?.flag ?? false,
        signal: leaving(res),
      })
    try {
      const outcome = await run().catch(async (cause: unknown) => {
        const { demoPayment } = world
        const quote = cause instanceof PaymentRequired && !cause.extra.payment && cause.parts.structured
        if (fields['pay.with'] !== 'demo' || !quote || !demoPayment) throw cause
        fields = { ...fields, 'pay.signature': await demoPayment(quote) }
        return run()
      })
      const ms = performance.now() - started
      show(tool.rest?.status ?? 200, { outcome: { ...outcome, ms, isPersons: asPerson !== undefined } })
    } catch (cause) {
      const page = cause instanceof PaymentRequired && (await payPage(cause, fields, person))
      if (!page) return fail(cause)
      send(res, cause.status, 'text/html; charset=utf-8', page.html, {
        ...refusalHeaders(cause),
        ...page.headers,
      })
    }
  }

  const [read] = limitReads(world, [
    {
      method: 'GET',
      path,
      async handle(req, res) {
        if (chooseForm(req.headers.accept) !== 'html')
          return send(res, 200, json, JSON.stringify(toolFacts(service, tool)), { Vary: 'Accept, Origin' })
        const person = await world.visitor?.(req)
        // A link may fill the form in.
        const given = Object.entries(parseUrlQuery(req)).map(([name, value]) => [name, String(value)])
        const filled = given.length > 0 ? { fields: Object.fromEntries(given) } : undefined
        const page = world.shell(toPage(of, person !== undefined, filled))
        await sendPage(req, res, page, 'private, no-cache')
      },
    },
  ])
  return { isForm, runForm, askPayment, routes: read ? [read satisfies Route] : [] }
}
