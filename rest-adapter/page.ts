import { createHash } from 'node:crypto'
import { escapeHtml } from '../mcp/lib/text/html.ts'
import { toAnchor, toHtml } from './html.ts'
import { pageScript } from './page-script.ts'
import { style } from './style.ts'

/** A text that is served as HTML, as Markdown and as JSON. */
export type Page = {
  title: string
  description: string
  markdown: string
  data: object
  /** SVG of ours by heading. */
  figures?: Readonly<Record<string, string>> | undefined
  /** The way back: pages above this one, the outermost first. */
  above: readonly Link[]
  /** What the foot of the page leads to. */
  beside: readonly Link[]
  /** Address of the registry whose tools a search looks through. */
  registry?: string
}

export type Link = { title: string; url: string }

const digest = (text: string) => createHash('sha256').update(text).digest('base64')

/** Headers of an HTML page: one script of ours, no foreign resource, no frame. */
export const pageHeaders = {
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${digest(style)}'; script-src 'sha256-${digest(pageScript)}'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
}

/** The icon of all pages. */
export const iconSvg =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path fill="#0f6466" d="M5 0h6l5 5v6l-5 5H5l-5-5V5z"/></svg>'

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath fill='%230f6466' d='M5 0h6l5 5v6l-5 5H5l-5-5V5z'/%3E%3C/svg%3E"

const anchor = ({ title, url }: Link) => `<a href="${escapeHtml(url)}">${escapeHtml(title)}</a>`

/** Puts each figure under its heading, the first of that name. */
const withFigures = (html: string, figures: Readonly<Record<string, string>>): string =>
  Object.entries(figures).reduce((text, [heading, svg]) => {
    const at = text.search(new RegExp(`<h[1-3] id="${toAnchor(heading)}">`))
    const end = at < 0 ? -1 : text.indexOf('\n', at)
    return end < 0 ? text : `${text.slice(0, end)}\n<figure>${svg}</figure>${text.slice(end)}`
  }, html)

/** A page as HTML. Everything that is not ours is escaped; the text is CommonMark without raw HTML. */
export const renderHtml = async ({
  title,
  description,
  markdown,
  figures = {},
  above,
  beside,
  registry,
}: Page): Promise<string> =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<meta name="description" content="${escapeHtml(description)}">
<link rel="alternate" type="text/markdown" href="">
<link rel="icon" href="${icon}">
<style>${style}</style>
</head>
<body${registry === undefined ? '' : ` data-registry="${escapeHtml(registry)}"`}>
${above.length > 0 ? `<header><nav aria-label="Above">${above.map(anchor).join('')}<span>${escapeHtml(title)}</span></nav></header>` : ''}
<main>
${withFigures(await toHtml(markdown), figures)}</main>
<footer>${beside.map(anchor).join('\n')}</footer>
<script>${pageScript}</script>
</body>
</html>
`
