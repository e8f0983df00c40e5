import { escapeHtml } from '../mcp/lib/text/html.ts'

/** The anchor of a heading; that of a tool is its name. */
export const toAnchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_-]+/gu, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 80) || 'section'

const open = async () => {
  const { default: markdownIt } = await import('markdown-it')
  const markdown = markdownIt({ html: false, linkify: true }).disable('image')
  markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false })
  markdown.renderer.rules.table_open = (_tokens, _at, _options, env) => {
    const tables = Number(env?.tables ?? 0) + 1
    if (env) env.tables = tables
    const label = tables === 1 ? 'Table' : `Table ${tables}`
    return `<div class="wide" tabindex="0" role="region" aria-label="${label}"><table>\n`
  }
  markdown.renderer.rules.table_close = () => '</table></div>\n'
  markdown.renderer.rules.heading_open = (tokens, at, _, env) => {
    const ids = env?.ids instanceof Map ? (env.ids as Map<string, number>) : new Map<string, number>()
    const id = toAnchor(tokens[at + 1]?.content ?? '')
    const times = ids.get(id) ?? 0
    ids.set(id, times + 1)
    return `<${tokens[at]?.tag} id="${escapeHtml(times === 0 ? id : `${id}-${times + 1}`)}">`
  }
  return markdown
}

let renderer: ReturnType<typeof open> | undefined

/** Markdown as HTML. Raw HTML in it is shown as text; images and script links stay text too. */
export const toHtml = async (markdown: string): Promise<string> => {
  renderer ??= open()
  return (await renderer).render(markdown, { ids: new Map() })
}
