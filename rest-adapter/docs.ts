import { readdirSync, readFileSync } from 'node:fs'
import { ToolError } from '../mcp/kernel/error.ts'
import { parseUrlQuery, type Route } from '../mcp/kernel/http.ts'
import type { Shell } from '../mcp/kernel/page.ts'
import { findDocsFolder } from '../mcp/lib/docs-folder.ts'
import { type Html, html } from '../mcp/lib/text/html.ts'
import { pageRoute, sendPage } from './page-route.ts'

type Doc = {
  /** As its address says it: `payments`, `proof/ledger`. */
  name: string
  title: string
  /** Its first paragraph. */
  about: string
  markdown: string
}

/** Links between documents as addresses of their pages; what is outside of `docs/` is named without a link. */
const toPageLinks = (markdown: string, name: string): string =>
  markdown.replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, (whole, text: string, target: string) => {
    if (/^(?:[a-z]+:|#|\/)/i.test(target)) return whole
    const { pathname, hash } = new URL(target, `http://docs/docs/${name}.md`)
    if (!pathname.startsWith('/docs/') || !pathname.endsWith('.md')) return text
    return `[${text}](${'../'.repeat(name.split('/').length - 1)}${pathname.slice('/docs/'.length, -3)}${hash})`
  })

const readDoc = (folder: string, file: string): Doc => {
  const name = file.replaceAll('\\', '/').slice(0, -3)
  const markdown = toPageLinks(readFileSync(`${folder}/${file}`, 'utf8'), name)
  const [, title = name] = /^# (.+)$/m.exec(markdown) ?? []
  const [, about = ''] = /^# [^\n]+\n+(?:> )?([^#|`\n-].*?)(?:\n\n|$)/s.exec(markdown) ?? []
  return { name, title, about: about.replace(/\[([^\]]+)\]\([^)]*\)/g, '$1').replace(/[`*]/g, ''), markdown }
}

const readDocs = (): Doc[] => {
  const folder = findDocsFolder()
  if (folder === undefined) return []
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(file =>
    file.endsWith('.md'),
  )
  return files
    .map(file => readDoc(folder, file))
    .sort(
      (one, other) =>
        one.name.split('/').length - other.name.split('/').length || one.title.localeCompare(other.title),
    )
}

/** Documents in which every word stands, those that have them in their titles first, then those that have them most often. */
const searchDocs = (docs: readonly Doc[], question: string): Doc[] => {
  const words = question.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []
  const count = (text: string, word: string) => text.toLowerCase().split(word).length - 1
  return docs
    .map(doc => ({
      doc,
      scores: words.map(word => count(doc.title, word) * 20 + count(doc.markdown, word)),
    }))
    .filter(({ scores }) => scores.length > 0 && scores.every(score => score > 0))
    .sort((one, other) => Math.min(...other.scores) - Math.min(...one.scores))
    .map(({ doc }) => doc)
}

const docRow = (site: string, { name, title, about }: Doc): Html =>
  html`<li><h2><a href="${site}/docs/${name}">${title}</a></h2><p class="soft">${about.length > 220 ? about.slice(0, 220).replace(/\s\S*$/, ' …') : about}</p></li>\n`

const listBody = (site: string, docs: readonly Doc[], question: string): Html => {
  const found = question ? searchDocs(docs, question) : docs
  return html`<h1>Documentation</h1>
<form class="search" role="search" method="get" action="${site}/docs">
<input type="search" name="q" value="${question}" maxlength="200" placeholder="Search the documentation" aria-label="Search the documentation">
<button>Find</button></form>
${found.length === 0 ? html`<p role="status">Nothing is said of that. Try one word.</p>` : html`<ul class="rows">${found.map(doc => docRow(site, doc))}</ul>`}
<p><a href="${site}/problems">Every way a call can fail</a></p>`
}

/** `/docs`: the documents of the repository, rendered, with a search over them. */
export const docsRoutes = (shell: Shell, site: () => string): Route[] => {
  let kept: Doc[] | undefined
  const docs = () => {
    kept ??= readDocs()
    return kept
  }
  const find = (name: string): Doc => {
    const doc = docs().find(other => other.name === name)
    if (doc) return doc
    throw new ToolError('not_found', 'There is no such document.', { hint: 'GET /docs lists them.' })
  }
  const one = (path: string): Route =>
    pageRoute(
      shell,
      path,
      site,
      ({ name = '', folder }) => {
        const { title, about, markdown } = find(folder === undefined ? name : `${folder}/${name}`)
        return {
          title,
          description: about.slice(0, 160),
          markdown,
          data: { title, markdown },
          section: 'Docs',
          above: [{ title: 'Docs', url: `${site()}/docs` }],
        }
      },
      true,
    )
  return [
    {
      method: 'GET',
      path: '/docs',
      async handle(req, res) {
        const question = String([parseUrlQuery(req).q].flat()[0] ?? '').slice(0, 200)
        const page = shell({
          title: 'Documentation',
          section: 'Docs',
          body: listBody(site(), docs(), question).html,
        })
        await sendPage(req, res, page, 'max-age=60')
      },
    },
    one('/docs/:name'),
    one('/docs/:folder/:name'),
  ]
}
