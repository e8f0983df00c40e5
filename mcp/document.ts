/** What a document sees of the world when it is rendered. */
export type DocumentContext = { base: string }

/** A page for people and models, declared once and served as HTML, Markdown or JSON by `Accept`. */
export type Document = {
  /** Path within the service, `/skill.md`. */
  path: string
  title: string
  description: string
  /** The text as Markdown (CommonMark); `data` is the JSON form where the text alone will not do. */
  render(ctx: DocumentContext): { markdown: string; data?: object }
}

type Facts = Omit<Document, 'render'>

export const document = (facts: Facts) => ({
  render: (render: Document['render']): Document => ({ ...facts, render }),
})
