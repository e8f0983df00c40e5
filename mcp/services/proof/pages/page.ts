import { createHash } from 'node:crypto'
import type { EndpointAnswer } from '../../../kernel/endpoint.ts'
import { ToolError } from '../../../kernel/error.ts'
import { type Html, html } from '../../../lib/text/html.ts'
import { style } from './style.ts'

const styleHash = createHash('sha256').update(style).digest('base64')

/** One script of ours at most, nothing from elsewhere, and nobody to send anything to. */
const policy = (script: boolean): string =>
  `default-src 'none'; style-src 'sha256-${styleHash}'; ${script ? "script-src 'self'; " : ''}base-uri 'none'; form-action 'self'; frame-ancestors 'none'`

type Page = {
  title: string
  /** Address of the service. */
  base: string
  body: Html
  status?: number
  /** Whether it loads the script that verifies proofs. */
  verifies?: boolean
}

/** Answers with a page for people. */
export const answerPage = ({ title, base, body, status = 200, verifies = false }: Page): EndpointAnswer => {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${{ html: style }}</style>
${verifies && html`<script type="module" src="${base}/verify.js"></script>\n`}</head>
<body>
<header><nav aria-label="Pages"><a href="${base}/explore">Ledger</a><a href="${base}/board">Board</a><a href="${base}/verify">Verify a file</a><a href="${base}/">Tools</a></nav></header>
<main>
${body}
</main>
</body>
</html>
`
  return {
    kind: 'bytes',
    type: 'text/html; charset=utf-8',
    bytes: Buffer.from(page.html),
    status,
    cache: 'no-cache',
    headers: {
      'Content-Security-Policy': policy(verifies),
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Resource-Policy': 'same-origin',
      'X-Content-Type-Options': 'nosniff',
    },
  }
}

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

/** What pages may be asked for in a minute. */
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
