/** A link as pages show it. */
export type Link = { title: string; url: string }

/** A page for people, as its room declares it: what stands in it and what it may load. The shell puts the layout around it. */
export type Page = {
  title: string
  description?: string | undefined
  /** HTML of ours in which everything foreign is escaped. */
  body: string
  /** Which link of the header it belongs to, by its title. */
  section?: string | undefined
  /** The way back: pages above this one, the outermost first. */
  above?: readonly Link[] | undefined
  /** Links at the foot of the page. */
  beside?: readonly Link[] | undefined
  /** Address of the service that shows it, which may have a host of its own. Default: the installation. */
  base?: string | undefined
  /** One column as narrow as a form, or the whole width. */
  width?: 'narrow' | 'wide' | undefined
  /** Attributes of `body`, `data-…`, that scripts read. */
  attributes?: Readonly<Record<string, string>> | undefined
  /** A script of ours that stands inline, by its hash. */
  script?: string | undefined
  /** Scripts of ours by their addresses. */
  sources?: readonly { src: string; type?: 'module' }[] | undefined
  /** Directives of the Content-Security-Policy beyond those of every page. */
  policy?: Readonly<Record<string, string>> | undefined
  /** The address answers with Markdown, too. */
  isMarkdown?: boolean | undefined
}

/** A page as it goes out. */
export type RenderedPage = { html: string; headers: Readonly<Record<string, string>> }

/** Puts the layout of the installation around a page. */
export type Shell = (page: Page) => RenderedPage
