const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Text as it may stand in HTML, also within a quoted attribute. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, character => entities[character] ?? '')

const open = async () => {
  const { default: markdownIt } = await import('markdown-it')
  const markdown = markdownIt({ html: false, linkify: true }).disable('image')
  markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false })
  markdown.renderer.rules.table_open = () => '<div class="wide"><table>\n'
  markdown.renderer.rules.table_close = () => '</table></div>\n'
  return markdown
}

let renderer: ReturnType<typeof open> | undefined

/** Markdown as HTML. Raw HTML in it is shown as text; images and script links stay text too. */
export const toHtml = async (markdown: string): Promise<string> => {
  renderer ??= open()
  return (await renderer).render(markdown)
}
