import { type Failure, failures } from '../mcp/kernel/error.ts'
import type { Route } from '../mcp/kernel/http.ts'
import type { Shell } from '../mcp/kernel/page.ts'
import type { TextPage } from './page.ts'
import { pageRoute } from './page-route.ts'
import { notFound } from './refuse.ts'

const advice: Record<Failure, string> = {
  malformed: 'Send one JSON object as the body, or, over A2A and MCP, one JSON-RPC 2.0 request.',
  invalid_input:
    '`issues` names every field that is wrong. Compare the input with the schema in the OpenAPI description; a field that the schema does not name is an error too.',
  method_not_allowed: 'The header `Allow` lists the methods that the path answers.',
  unauthenticated:
    'Send one of the credentials that `WWW-Authenticate` and `hint` name. A credential that is not known is refused even where none is needed.',
  payment_required:
    'The body and the header `PAYMENT-REQUIRED` hold the quote. Pay one of its offers and repeat the same call with `PAYMENT-SIGNATURE`.',
  payment_pending:
    'The payment is on its way. GET the address in `Location` after the seconds that `Retry-After` says, until the answer is there; or send the same call with the same payment again. Neither is charged twice, and nothing has to be signed anew.',
  forbidden: 'The credential, the Host or the Origin is known but may not do this.',
  not_found: 'Check the path and the ids in it.',
  conflict:
    'The state of things does not allow the call, or its Idempotency-Key belongs to another one. With `Retry-After`, the same call is still running.',
  gone: 'What was asked for was there once and will not come back.',
  too_large: 'Send less at once; a body may have 1 MiB.',
  unsupported_media: 'Send `Content-Type: application/json`, in UTF-8.',
  precondition_required: '`hint` names the step that must come first.',
  too_many_requests: 'Wait for the seconds that `Retry-After` says.',
  internal: 'Nothing is wrong with the call. `ref` names the failure to the operator.',
  upstream: 'Something outside failed. Try again in a little while.',
  unavailable:
    'The operator has not configured what the tool needs; the detail names it. Nothing was charged.',
  timeout: 'The call took longer than its tool allows. Nothing was written; it may be tried again.',
}

const problemText = (code: Failure): string => {
  const { status, title, retryable } = failures[code]
  return `# ${title}

> \`${code}\`, HTTP status ${status}

${advice[code]}

${retryable ? 'The same call may work later.' : 'The same call fails again until something changes.'} A problem whose \`retryable\` is
true overrides this.

Every failure has the same body, over REST as \`application/problem+json\` (RFC 9457), over A2A in \`error.data\`, over MCP as text:
\`type\`, \`title\`, \`status\`, \`code\`, \`detail\`, \`retryable\`, and where they help \`hint\`, \`issues\` and \`ref\`.
`
}

const codes = Object.keys(failures) as Failure[]

const listText = (site: string): string => `# Problems

> Every way a call can fail.

| code | status | meaning |
|---|---|---|
${codes.map(code => `| [${code}](${site}/problems/${code}) | ${failures[code].status} | ${failures[code].title} |`).join('\n')}
`

const problemPage = (code: Failure, site: string): TextPage => ({
  title: failures[code].title,
  description: `The problem ${code}`,
  markdown: problemText(code),
  data: { type: `${site}/problems/${code}`, code, ...failures[code], advice: advice[code] },
  above: [{ title: 'Problems', url: `${site}/problems` }],
  section: 'Docs',
})

/** A page for each problem type, where the `type` of a problem leads, and the list of all. */
export const problemRoutes = (shell: Shell, site: () => string): Route[] => {
  const pages = new Map(
    codes.map(code => [
      code as string,
      pageRoute(shell, '/problems/:code', site, () => problemPage(code, site())),
    ]),
  )
  const list = pageRoute(shell, '/problems', site, () => ({
    title: 'Problems',
    description: 'Every way a call can fail',
    markdown: listText(site()),
    data: { problems: codes.map(code => ({ code, ...failures[code] })) },
    section: 'Docs',
  }))
  const one: Route = {
    method: 'GET',
    path: '/problems/:code',
    async handle(req, res, params) {
      const page = pages.get(params.code ?? '')
      if (!page) throw notFound('There is no such problem type.', 'GET /problems lists them.')
      await page.handle(req, res, params)
    },
  }
  return [list, one]
}
