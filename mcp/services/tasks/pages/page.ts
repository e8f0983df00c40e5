import {
  type AnyEndpoint,
  type EndpointAnswer,
  type EndpointContext,
  endpoint,
} from '../../../kernel/endpoint.ts'
import { ToolError } from '../../../kernel/error.ts'
import { type Html, html } from '../../../lib/text/html.ts'
import type { Files } from '../../../ports/files/port.ts'
import {
  type FormContext,
  type FormState,
  type Forms,
  formTypes,
  maxFormBytes,
  openForms,
  type PostedForm,
  parseForm,
  toToolInput,
} from './forms.ts'
import { operations } from './operations.ts'

const links = [
  ['/work', 'Find work'],
  ['/work/mine', 'My work'],
  ['/publish', 'Publish'],
  ['/work/money', 'Money'],
  ['/work/me', 'Me'],
] as const

type Layout = {
  title: string
  /** Path of the service, and its absolute address as files are uploaded to it. */
  base: string
  site: string
  body: Html
  files: Files
  status: number
  /** Signed-in account; undefined for none. */
  account: string | undefined
  signIn: string
  path: string
}

/** Answers with a page of the desk. Its script may send files here, or to the store of files, whose addresses it is told. */
const answerPage = ({
  title,
  base,
  site,
  body,
  files,
  status,
  account,
  signIn,
  path,
}: Layout): EndpointAnswer => ({
  kind: 'page',
  status,
  page: {
    title,
    base: site,
    body: html`<nav class="tabs" aria-label="Marketplace">${links.map(([to, text]) => html`<a href="${base}${to}"${to === path && html` aria-current="page"`}>${text}</a>`)}${account === undefined && html`<a href="${signIn}">Sign in</a>`}</nav>
${body}`.html,
    section: 'Work',
    attributes: { base, site },
    sources: [{ src: `${base}/work/script.js` }],
    ...(files.direct && { policy: { 'connect-src': "'self' https:", 'img-src': "'self' data: https:" } }),
  },
})

/** Data to draw a page from. */
export type Visit = {
  /** Path of the service. */
  base: string
  /** URL of a sign-in that leads back to this page; for who lacks something, the account where it is added. */
  signIn: string
  /** Signed-in account, as the marketplace knows it; undefined for nobody. */
  account: string | undefined
  /** Why a signed-in person is nobody here, as one without a wallet. */
  lacking: string | undefined
  params: Readonly<Record<string, string>>
  query: Readonly<Record<string, string | undefined>>
  now: Date
  call: EndpointContext<'clock'>['call']
  forms: Forms
  /** A photo or another file of evidence as a page links it; undefined where it is not there. */
  fileLink(file_id: string): Promise<{ href: string; type: string } | undefined>
}

type Drawn = { title: string; body: Html; status?: number }

type PageFacts = { name: string; title: string; description: string; path: string }

type PageContext = EndpointContext<'clock' | 'files'>

const toPath = (base: string): string => new URL(base).pathname.replace(/\/$/, '')

/** The refusal that a signed-in person without a wallet meets. */
const findLack = async (
  { caller, call }: PageContext,
  cookie: string | undefined,
): Promise<string | undefined> => {
  if (caller || cookie === undefined) return undefined
  try {
    await call('list_withdrawals', { limit: 1 })
  } catch (error) {
    if (error instanceof ToolError && error.code === 'precondition_required') return error.message
    if (!(error instanceof ToolError) || error.code !== 'unauthenticated') throw error
  }
  return undefined
}

const fillPath = (path: string, params: Readonly<Record<string, string>>): string =>
  path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))

/** Declares a page and where its forms post to: two endpoints of one path. `draw` draws it for both. */
export const page = (facts: PageFacts, draw: (visit: Visit) => Promise<Drawn>): readonly AnyEndpoint[] => {
  const answer = async (
    ctx: PageContext,
    request: { params: Visit['params']; query: Visit['query']; headers: Visit['query'] },
    state: { posted?: PostedForm; problem?: ToolError; shown?: Html } = {},
  ): Promise<EndpointAnswer> => {
    const { params, query } = request
    const base = toPath(ctx.base)
    const path = fillPath(facts.path, params)
    const here = new URLSearchParams(
      Object.entries(query).flatMap(([name, value]) =>
        value && name !== 'done' ? [[name, value] as [string, string]] : [],
      ),
    )
    const mount = base.endsWith(`/${ctx.service.slug}`) ? base.slice(0, -ctx.service.slug.length - 1) : base
    const back = `${base.slice(mount.length)}${path}${here.size > 0 ? `?${here}` : ''}`
    const signIn = `${mount}/auth/sign-in?${new URLSearchParams({ return: back })}`
    const formState: FormState = {
      action: base + path,
      ...(state.posted && { posted: state.posted }),
      ...(state.problem && { problem: state.problem }),
    }
    const forms = openForms(formState)
    const lacking = await findLack(ctx, request.headers.cookie)
    const visit: Visit = {
      base,
      signIn: lacking === undefined ? signIn : `${mount}/auth/account`,
      account: ctx.caller?.id,
      lacking,
      params,
      query,
      now: ctx.clock.now(),
      call: ctx.call,
      forms,
      async fileLink(file_id) {
        try {
          const { url, content_type } = await ctx.call('presign_download', { file_id })
          const href = String(url)
          return {
            href: href.startsWith(ctx.base) ? base + href.slice(ctx.base.length) : href,
            type: String(content_type),
          }
        } catch (error) {
          if (error instanceof ToolError && error.status < 500) return undefined
          throw error
        }
      },
    }
    const drawn = await draw(visit)
    const done = operations[query.done ?? '']?.done
    const body = html`${done !== undefined && !state.problem && html`<p class="say good" role="status">${done}</p>`}${state.shown}${drawn.body}`
    const whole = html`${forms.strayProblem(body)}${body}`
    const status = state.problem?.status ?? drawn.status ?? 200
    return answerPage({
      title: drawn.title,
      base,
      site: ctx.base,
      body: whole,
      files: ctx.files,
      account: visit.account ?? visit.lacking,
      signIn,
      path,
      status,
    })
  }

  const run = async (ctx: FormContext, form: PostedForm): Promise<Record<string, unknown>> => {
    const operation = operations[form.operation]
    if (!operation)
      throw new ToolError('invalid_input', 'This form is none of this page.', {
        hint: 'Open the page again.',
      })
    const input = operation.input ? await operation.input(ctx, form) : toToolInput(form.fields)
    return ctx.call(form.operation, input)
  }

  const limits = [{ perMinute: 120, per: 'client' }] as const
  const get = endpoint({
    ...facts,
    method: 'GET',
    body: 'none',
    answers: ['text/html'],
    needs: ['files', 'clock'],
    auth: ['public'],
    visit: true,
    limits,
  }).run((ctx, request) => answer(ctx, request))

  const post = endpoint({
    name: `${facts.name}_form`,
    title: facts.title,
    description: `Takes the forms of the page: each calls one tool as whoever is signed in in the browser. Free beside what the tool costs.`,
    path: facts.path,
    method: 'POST',
    body: 'raw',
    maxBytes: maxFormBytes,
    accepts: formTypes,
    answers: ['text/html', 'application/json'],
    needs: ['files', 'clock', 'store', 'workers'],
    auth: ['public'],
    visit: true,
    limits,
    timeoutMs: 120_000,
  }).run(async (ctx, request) => {
    const posted = await parseForm(request)
    const byScript = request.headers.accept === 'application/json'
    try {
      const output = await run(ctx, posted)
      const { to, show } = operations[posted.operation] ?? {}
      const shown = byScript ? undefined : show?.(output)
      if (shown) return await answer(ctx, request, { shown })
      const base = toPath(ctx.base)
      const path = base + (to?.(output) ?? fillPath(facts.path, request.params))
      const location = `${path}?done=${posted.operation}`
      if (byScript) return { kind: 'json', body: { location, output } }
      const headers = { Location: location }
      return {
        kind: 'bytes',
        type: 'text/plain; charset=utf-8',
        bytes: Buffer.alloc(0),
        status: 303,
        headers,
      }
    } catch (error) {
      if (byScript || !(error instanceof ToolError) || error.code === 'internal') throw error
      return answer(ctx, request, { posted, problem: error })
    }
  })
  return [get, post]
}

/** The answer of a tool, undefined where there is none for this reader. */
export const findAnswer = async <answer>(
  { call }: Pick<Visit, 'call'>,
  tool: string,
  input: Readonly<Record<string, unknown>>,
): Promise<answer | undefined> => {
  try {
    return (await call(tool, input)) as answer
  } catch (error) {
    if (error instanceof ToolError && (error.status === 404 || error.status === 403)) return undefined
    throw error
  }
}

/** Box on pages that need to know who is there: how to sign in, or what the account lacks. */
export const signInBox = ({ signIn, lacking }: Visit, why: string): Html =>
  html`<section class="work">
<h2>Sign in</h2>
<p>${lacking ?? why}</p>
<p><a class="button" href="${signIn}">${lacking === undefined ? 'Sign in with a wallet or a passkey' : 'Add a wallet to your account'}</a></p>
${lacking === undefined && html`<p class="facts">One signature for the whole visit; it costs nothing and allows no payment.</p>`}
</section>`

/** Draws a refusal of the tool that a page shows; others are passed on. */
export const drawRefusal = (error: unknown, title: string, more: Html): Drawn => {
  if (!(error instanceof ToolError) || error.status >= 500) throw error
  return {
    title,
    status: error.status,
    body: html`<h1>${title}</h1>
<p>${error.message}</p>
${more}`,
  }
}
