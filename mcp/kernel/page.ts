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

/** A call that met a price: what is bought, and the ways that its person may pay it. */
export type PayCard = {
  /** In a few words: "Feed the cat". */
  title: string
  /** The page that the person came from. */
  back?: Link | undefined
  /** Why a payment was not taken. */
  refused?: string | undefined
  /** The form that is sent again with a payment; without one a wallet of the browser asks for the page itself. */
  form?: PaidForm
}

/** The form of a tool that met a price: where it is sent again, what it said, and what can pay it beside a wallet of the browser. */
export type PaidForm = {
  action: string
  fields: Readonly<Record<string, string>>
  /** True when the demo wallet of local chains may pay. */
  hasDemo: boolean
  /** The balance of whoever is signed in, in dollars, and where it is topped up. */
  balance?: { available: string; topUp: string } | undefined
  /** Where to sign in, for nobody who could pay from a balance. */
  signIn?: string | undefined
  /** An invoice, and the token that its preimage pays with (L402). */
  lightning?: { invoice: string; token: string } | undefined
}
