import type { Ports } from '../ports/index.ts'

/** What a document sees of the world when it is rendered. */
export type DocumentContext = { base: string }

type Rendered = { markdown: string; data?: object }

/** A page for people and models, declared once and served as HTML, Markdown or JSON by `Accept`. */
export type Document = {
  /** Path within the service, `/skill.md`. */
  path: string
  title: string
  description: string
  /** Ports the text is made from; such a document is rendered for every reader, any other once. */
  needs?: readonly (keyof Ports)[]
  /** The text as Markdown (CommonMark); `data` is the JSON form where the text alone will not do. */
  render(ctx: DocumentContext & Partial<Ports>): Rendered | Promise<Rendered>
}

type Facts<needs extends keyof Ports> = Omit<Document, 'render' | 'needs'> & { needs?: readonly needs[] }

export const document = <const needs extends keyof Ports = never>(facts: Facts<needs>) => ({
  render: (
    render: (ctx: DocumentContext & Pick<Ports, needs>) => Rendered | Promise<Rendered>,
  ): Document => ({ ...facts, render: render as Document['render'] }),
})
