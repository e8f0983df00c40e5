import { createHash } from 'node:crypto'
import { escapeHtml } from '../../mcp/lib/text/html.ts'

/** A page for people: `body` is HTML of ours in which everything foreign is escaped. `script` and `style` stand inline, by their hash. */
export type Page = {
  title: string
  body: string
  style: string
  script?: string
  /** Origins, besides ours, that forms of this page may end at: CSP holds `form-action` against every redirect after a POST. */
  formTargets?: readonly string[]
}

const digest = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/**
 * Headers and bytes of a page: no frame, no foreign resource, no referrer to others, kept by nobody. `no-referrer` would make browsers send
 * `Origin: null` with our own forms (Fetch, "append a request Origin header").
 */
export const renderPage = ({ title, body, style, script, formTargets = [] }: Page) => ({
  headers: {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': [
      "default-src 'none'",
      `style-src ${digest(style)}`,
      `script-src ${script === undefined ? "'none'" : digest(script)}`,
      "connect-src 'self'",
      "img-src 'self' data:",
      "base-uri 'none'",
      `form-action 'self' ${formTargets.join(' ')}`.trim(),
      "frame-ancestors 'none'",
    ].join('; '),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'same-origin',
    'Cache-Control': 'no-store',
  },
  html: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<main>
${body}
</main>
${script === undefined ? '' : `<script>${script}</script>`}
</body>
</html>
`,
})
