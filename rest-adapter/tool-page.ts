import { call, type Outcome, type World } from '../mcp/kernel/call.ts'
import { costText, unitText } from '../mcp/kernel/cost.ts'
import { PaymentRequired, ToolError, toToolError } from '../mcp/kernel/error.ts'
import {
  leaving,
  type Request,
  type Response,
  type Route,
  readBytes,
  readEvidence,
} from '../mcp/kernel/http.ts'
import type { Page } from '../mcp/kernel/page.ts'
import { missingFor } from '../mcp/kernel/pipeline/provide.ts'
import { limitReads } from '../mcp/kernel/read-limit.ts'
import type { Service } from '../mcp/kernel/service.ts'
import { type AnyTool, isFree, isPriced } from '../mcp/kernel/tool.ts'
import { type Html, html } from '../mcp/lib/text/html.ts'
import { chooseForm } from './accept.ts'
import { answerTree } from './answer-tree.ts'
import { codeSamples } from './code-samples.ts'
import { toolFacts } from './discovery/registry.ts'
import { messageUrl } from './discovery/service-text.ts'
import { originHost } from './host.ts'
import type { Paywall } from './paywall.ts'
import { refusalHeaders } from './refuse.ts'
import { compileSchemas } from './schema.ts'
import { schemaTable } from './schema-table.ts'
import { json, send } from './send.ts'
import { parseToolForm, toFields, toolFields } from './tool-form.ts'

type Tool = { world: World; service: Service; tool: AnyTool }

export const needsAccount = ({ service, tool }: Omit<Tool, 'world'>): boolean =>
  !(tool.auth ?? service.auth).includes('public')

/** A price as a label has room for: the quote of a call may say another, and the page of the tool says all. */
const shortCost = (tool: AnyTool): string => {
  if (!isPriced(tool)) return 'free'
  const price = isFree(tool.price) ? 'priced by quote' : `${tool.price.amount} ${unitText(tool.price.unit)}`
  return tool.free ? `free at first, then ${price}` : price
}

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
  outcome?: Outcome & { ms: number }
  error?: ToolError
  /** True when somebody is signed in. */
  isSignedIn: boolean
}

const answerCard = ({ world: { site } }: Tool, { outcome, error, isSignedIn }: Run): Html | false => {
  if (error) {
    const { message, extra, code } = error
    return html`<section class="card" id="answer" role="alert"><h2>${error.toProblem().title}</h2>
<p>${message}</p>
${extra.hint && html`<p class="soft">${extra.hint}</p>`}
${code === 'unauthenticated' && !isSignedIn && html`<p><a class="button" href="${site.url}/auth/sign-in">Sign in</a></p>`}
<p class="note">Status ${error.status} · <a href="${site.url}/problems/${code}">what that means</a>${extra.charged === false && ' · nothing was charged'}${extra.ref && html` · reference ${extra.ref}`}</p></section>`
  }
  if (!outcome) return false
  const { output, text, receipt, ms, quota } = outcome
  const cost = receipt
    ? html`<a href="${site.url}/receipts/${receipt.id}">paid, the receipt</a>`
    : quota
      ? 'free tier'
      : 'free'
  return html`<section class="card" id="answer" aria-label="The answer"><p class="sentence">${text}</p>
<p class="note">Answered in ${Math.round(ms)} ms · ${cost} · ${isSignedIn ? 'as you' : 'as nobody'}</p>
${answerTree(output)}
<details><summary>As JSON</summary><pre><code>${JSON.stringify(output, null, 2)}</code></pre></details></section>`
}

const renderBody = (of: Tool, run?: Run): Html => {
  const { world, service, tool } = of
  const { input, output } = compileSchemas(tool)
  const base = world.base(service)
  const [example] = tool.examples
  const fields = toolFields(input, run?.fields ?? toFields(input, example), run?.error?.extra.issues)
  return html`<h1>${tool.title}</h1>
<p>${toolTags(of)}</p>
<p class="lead">${tool.description}</p>
${run && answerCard(of, run)}
<h2 id="try">Try it</h2>
<form class="card" method="post" action="${base}/tools/${tool.name}#answer">
${fields.length > 0 ? fields : html`<p>It takes no input.</p>`}
<button>Run</button>
<p class="note">Runs as you where you are <a href="${world.site.url}/auth/account">signed in</a>, else as nobody.${tool.needsSetup && ' The example names something that has to be made first.'}</p>
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

const toPage = (of: Tool, run?: Run): Page => {
  const { world, service, tool } = of
  return {
    title: tool.title,
    description: tool.description,
    base: world.base(service),
    above: [
      { title: 'Tools', url: `${world.site.url}/` },
      { title: service.name, url: `${world.base(service)}/` },
    ],
    body: renderBody(of, run).html,
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

const sendPage = (res: Response, { world }: Tool, status: number, page: Page, more = {}): void => {
  const { html: text, headers } = world.shell(page)
  send(res, status, 'text/html; charset=utf-8', text, { ...more, ...headers, Vary: 'Accept, Origin' })
}

/** A tool's page for people, with a form that runs it and shows the answer. It works without scripts. */
export const toolPage = (of: Tool, paywall?: Paywall) => {
  const { world, service, tool } = of
  const path = `/tools/${tool.name}`

  const runForm = async (req: Request, res: Response): Promise<void> => {
    requireOwnForm(req)
    const fields = Object.fromEntries(new URLSearchParams(String(await readBytes(req, res, formBytes))))
    const person = await world.visitor?.(req)
    const { credentials, request, payment, client } = readEvidence(req)
    const isSignedIn = person !== undefined
    const started = performance.now()
    const fail = (cause: unknown) => {
      const error = toToolError(cause)
      sendPage(res, of, error.status, toPage(of, { fields, error, isSignedIn }), refusalHeaders(error))
    }
    let input: Record<string, unknown>
    try {
      input = parseToolForm(compileSchemas(tool).input, fields)
    } catch (cause) {
      return fail(cause)
    }
    const run = (evidence: typeof payment) =>
      call(world, service, tool, {
        channel: 'rest',
        input,
        credentials,
        request,
        client,
        person,
        resource: world.base(service) + path,
        evidence,
        free: tool.free?.flag ?? false,
        signal: leaving(res),
      })
    try {
      const outcome = await run(payment).catch(async (cause: unknown) => {
        const { demoPayment } = world
        const quote = cause instanceof PaymentRequired && !cause.extra.payment && cause.parts.structured
        if (fields['pay.with'] !== 'demo' || !quote || !demoPayment) throw cause
        return run({
          ...payment,
          headers: { ...payment.headers, 'payment-signature': await demoPayment(quote) },
        })
      })
      const ms = performance.now() - started
      sendPage(
        res,
        of,
        tool.rest?.status ?? 200,
        toPage(of, { fields, outcome: { ...outcome, ms }, isSignedIn }),
      )
    } catch (cause) {
      const quote =
        cause instanceof PaymentRequired && !cause.extra.payment ? cause.parts.structured : undefined
      const page =
        quote &&
        paywall?.(quote as never, {
          title: `${service.name}: ${tool.title}`,
          action: world.base(service) + path,
          fields,
          input,
          hasDemo: world.demoPayment !== undefined,
        })
      if (!page || !(cause instanceof PaymentRequired)) return fail(cause)
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
        sendPage(res, of, 200, toPage(of))
      },
    },
  ])
  return { isForm, runForm, routes: read ? [read satisfies Route] : [] }
}
