import { createHash } from 'node:crypto'
import type { Link, Page, Shell } from '../mcp/kernel/page.ts'
import { iconUrl } from '../mcp/lib/icon.ts'
import { type Html, html } from '../mcp/lib/text/html.ts'
import { pageScript } from './script.ts'
import { style } from './style.ts'

type Place = {
  /** Absolute address of the installation, without a trailing slash. */
  site(): string
  /** Header links that rooms of services add. */
  rooms(): readonly Link[]
}

const digest = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

const styleDigest = digest(style)

const defaultPolicy = {
  'default-src': "'none'",
  'style-src': styleDigest,
  'script-src': "'none'",
  'connect-src': "'self'",
  'img-src': "'self' data:",
  'base-uri': "'none'",
  'form-action': "'self'",
  'frame-ancestors': "'none'",
}

/** The scripts that stand inline: that of every page which has something for it, and its own. */
const inlineScripts = ({ body, script }: Page): string[] => [
  ...(/<pre[^>]*><code/.test(body) ? [pageScript] : []),
  ...(script === undefined ? [] : [script]),
]

const toPolicy = (page: Page): string => {
  const scripts = [...inlineScripts(page).map(digest), ...(page.sources ? ["'self'"] : [])].join(' ')
  const directives = { ...defaultPolicy, ...(scripts && { 'script-src': scripts }), ...page.policy }
  return Object.entries(directives)
    .map(([name, value]) => `${name} ${value}`)
    .join('; ')
}

/**
 * Links to the own origin as paths: a page works at every name of the machine, over HTTP and HTTPS, under the policy of its own origin.
 */
const toPaths = (text: string, origin: string): string => {
  const own = origin.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const links = new RegExp(`(\\b(?:href|src|action)=")${own}(["/?#])`, 'g')
  return text.replace(links, (_, attribute: string, next: string) =>
    next === '/' ? `${attribute}/` : `${attribute}/${next}`,
  )
}

const headerLinks = (site: string, rooms: readonly Link[]): readonly Link[] => [
  { title: 'Tools', url: `${site}/` },
  ...rooms,
  { title: 'Status', url: `${site}/status` },
  { title: 'Docs', url: `${site}/docs` },
  { title: 'Balance', url: `${site}/auth/balance` },
  { title: 'Account', url: `${site}/auth/account` },
]

const anchor = ({ title, url }: Link, isCurrent = false): Html =>
  html`<a href="${url}"${isCurrent && html` aria-current="true"`}>${title}</a>`

const breadcrumb = ({ above = [], title }: Page): Html | false =>
  above.length > 0 &&
  html`<nav class="crumbs" aria-label="Breadcrumb"><ol>${above.map(link => html`<li>${anchor(link)}</li>`)}<li aria-current="page">${title}</li></ol></nav>`

const headingPattern = /<h2 id="([^"]+)">(.*?)<\/h2>/g

/** Fewer sections than this are seen at a glance. */
const minSections = 4

const contents = ({ body }: Page): Html | false => {
  const sections = [...body.matchAll(headingPattern)]
  return (
    sections.length >= minSections &&
    html`<nav class="contents" aria-label="On this page"><details><summary>On this page</summary><ul>${sections.map(
      ([, id = '', text = '']) =>
        html`<li><a href="#${{ html: id }}">${{ html: text.replace(/<[^>]*>/g, '') }}</a></li>`,
    )}</ul></details></nav>`
  )
}

const toAttributes = (data: Page['attributes'] = {}): Html[] =>
  Object.entries(data).map(([name, value]) => html` data-${name}="${value}"`)

/** The layout of every page. Without a place it has no header: for pages on the server of somebody else. */
export const openShell =
  (place?: Place): Shell =>
  page => {
    const { title, description, body, section = 'Tools', beside = [], width, attributes, sources = [] } = page
    const site = place?.site() ?? ''
    const { origin } = URL.canParse(site) ? new URL(site) : { origin: '' }
    const isOwnOrigin = page.base === undefined || (origin !== '' && new URL(page.base).origin === origin)
    const list = contents(page)
    const layout = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
${description && html`<meta name="description" content="${description}">\n`}${page.isMarkdown && html`<link rel="alternate" type="text/markdown" href="">\n`}<link rel="icon" href="${place ? iconUrl : 'data:,'}">
<style>${{ html: style }}</style>
${sources.map(({ src, type }) => html`<script src="${src}"${type ? html` type="${type}"` : html` defer`}></script>\n`)}</head>
<body${toAttributes(attributes)}>
${
  place &&
  html`<a class="skip" href="#main">Skip to the content</a>
<header class="top"><div><a class="brand" href="${site}/">Octagent</a><nav aria-label="Main">${headerLinks(site, place.rooms()).map(link => anchor(link, link.title === section))}</nav></div></header>
`
}<div class="page${width && ` ${width}`}${list && ' long'}">
${breadcrumb(page)}
${list}<main id="main">
${{ html: body }}
</main>
${beside.length > 0 && html`<footer>${beside.map(link => anchor(link))}</footer>\n`}</div>
`
    const scripts = inlineScripts(page).map(text => `<script>${text}</script>\n`)
    const rest = `${scripts.join('')}</body>\n</html>\n`
    return {
      html: (isOwnOrigin && origin !== '' ? toPaths(layout.html, origin) : layout.html) + rest,
      headers: {
        'Content-Security-Policy': toPolicy(page),
        'Cross-Origin-Opener-Policy': 'same-origin',
        'Cross-Origin-Resource-Policy': 'same-origin',
        'X-Content-Type-Options': 'nosniff',
        // `no-referrer` would make browsers send `Origin: null` with our own forms (Fetch, "append a request Origin header").
        'Referrer-Policy': 'same-origin',
      },
    }
  }
