import type { Need, Provided } from './need.ts'

/** Context of a document that is rendered: the address of its service, and the parameters of its path. */
export type DocumentContext = { base: string; params: Readonly<Record<string, string>> }

/**
 * `figures` are SVG of ours, by the heading that each stands under in HTML: attributes and classes of the page's style sheet, no style
 * of their own.
 */
type Rendering = { markdown: string; data?: object; figures?: Readonly<Record<string, string>> }

/** A page for people and models, declared once and served as HTML, Markdown or JSON by `Accept`. */
export type Document<needs extends Need = never> = {
  /** Path within the service, `/skill.md`; one with parameters, `/predictions/:id`, names its needs. */
  path: string
  title: string
  description: string
  /** Sources of the text; such a document is rendered for every reader, any other once. */
  needs?: readonly needs[]
  /** The text as Markdown (CommonMark); `data` is the JSON form where the text alone will not do. */
  render(ctx: DocumentContext & Provided<needs>): Rendering | Promise<Rendering>
}

// biome-ignore lint/suspicious/noExplicitAny: a document of any needs, as adapters see it
export type AnyDocument = Document<any>

type Facts<needs extends Need> = Omit<Document<needs>, 'render'>

export const document = <const needs extends Need = never>(facts: Facts<needs>) => ({
  render: (render: Document<needs>['render']): Document<needs> => ({ ...facts, render }),
})

/** True when a document is one page, and not one for each value of a parameter. */
export const isSinglePage = ({ path }: Pick<AnyDocument, 'path'>): boolean => !path.includes(':')
