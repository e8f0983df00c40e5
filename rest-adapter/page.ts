import type { Page } from '../mcp/kernel/page.ts'
import { toAnchor, toHtml } from './html.ts'

/** A text that is served as HTML, as Markdown and as JSON. */
export type TextPage = Omit<Page, 'body'> & {
  markdown: string
  /** What people read where it differs from what programs do: without what other pages show them better. */
  brief?: string | undefined
  data: object
  /** SVG of ours by heading. */
  figures?: Readonly<Record<string, string>> | undefined
}

/** Puts each figure under its heading, the first of that name. */
const withFigures = (html: string, figures: Readonly<Record<string, string>>): string =>
  Object.entries(figures).reduce((text, [heading, svg]) => {
    const at = text.search(new RegExp(`<h[1-3] id="${toAnchor(heading)}">`))
    const end = at < 0 ? -1 : text.indexOf('\n', at)
    return end < 0 ? text : `${text.slice(0, end)}\n<figure>${svg}</figure>${text.slice(end)}`
  }, html)

/** A text as a page for people. Everything that is not ours is escaped; the text is CommonMark without raw HTML. */
export const toPage = async ({
  markdown,
  brief = markdown,
  data: _,
  figures = {},
  ...page
}: TextPage): Promise<Page> => ({
  isMarkdown: true,
  ...page,
  body: withFigures(await toHtml(brief), figures),
})
