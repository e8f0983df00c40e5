import type { EndpointAnswer } from '../../../kernel/endpoint.ts'
import { ToolError } from '../../../kernel/error.ts'
import { type Html, html } from '../../../lib/text/html.ts'

type Page = {
  title: string
  /** Address of the service. */
  base: string
  body: Html
  status?: number
  /** True when it loads the script that verifies proofs. */
  verifies?: boolean
}

/** Answers with a page for people. */
export const answerPage = ({ title, base, body, status = 200, verifies = false }: Page): EndpointAnswer => ({
  kind: 'page',
  status,
  cache: 'no-cache',
  page: {
    title,
    base,
    body: html`<nav class="tabs" aria-label="Verification"><a href="${base}/explore">Ledger</a><a href="${base}/board">Board</a><a href="${base}/verify">Verify a file</a><a href="${base}/">Tools</a></nav>
${body}`.html,
    // What is verified here is sent nowhere.
    policy: { 'connect-src': "'none'" },
    ...(verifies && { sources: [{ src: `${base}/verify.js`, type: 'module' }] }),
  },
})

/** Shows a page, or says to whoever reads HTML, in words for people, that there is none of this address. */
export const showPage = async (
  base: string,
  { accept }: Readonly<Record<string, string | undefined>>,
  make: () => Promise<EndpointAnswer>,
): Promise<EndpointAnswer> => {
  try {
    return await make()
  } catch (error) {
    if (!(error instanceof ToolError) || (error.code !== 'not_found' && error.code !== 'invalid_input'))
      throw error
    if (!accept?.includes('text/html')) throw error
    const title = error.code === 'not_found' ? 'There is no such page' : 'That cannot be shown'
    const body = html`<h1>${title}</h1>
<p role="alert">${error.message}</p>`
    return answerPage({ title, base, body, status: error.status })
  }
}

/** Limits of page requests per minute. */
export const pageLimits = [{ perMinute: 120, per: 'client' as const }]

/** `12,345`. */
export const formatCount = (count: number): string => count.toLocaleString('en-US')

/** `2031-01-05 10:04 UTC` of a time in ISO 8601. */
export const formatTime = (iso: string): string => `${iso.slice(0, 16).replace('T', ' ')} UTC`

/** A list of names and values; what is null or absent is left out. */
export const factList = (
  facts: readonly (readonly [name: string, value: Html | string | number | null])[],
): Html =>
  html`<dl class="facts">
${facts.map(([name, value]) => value !== null && html`<dt>${name}</dt><dd>${value}</dd>\n`)}</dl>`

/** A hash as it is told apart from words. */
export const hashText = (hash: string): Html => html`<span class="hash">${hash}</span>`
