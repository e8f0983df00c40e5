export type Category =
  | 'ab-testing'
  | 'advertising'
  | 'analytics'
  | 'asset-cdn'
  | 'auth'
  | 'cdn'
  | 'cms'
  | 'community'
  | 'consent'
  | 'css'
  | 'ecommerce'
  | 'fonts'
  | 'framework'
  | 'hosting'
  | 'language'
  | 'library'
  | 'marketing'
  | 'media'
  | 'monitoring'
  | 'os'
  | 'payment'
  | 'plugin'
  | 'security'
  | 'server'
  | 'static-site'
  | 'support'
  | 'tag-manager'
  | 'ui-library'
  | 'widget'

/**
 * Where a technology shows. Group 1, 2, … of a pattern is the version. Hosts stand for themselves and what is below them, and
 * may go on with the start of a path.
 */
export type Hints = {
  /** Response headers by lower-case name. */
  headers?: Readonly<Record<string, RegExp>>
  /** Names of cookies. */
  cookies?: RegExp
  /** The generator that a page names. */
  generator?: RegExp
  /** Other meta elements, by name or property. */
  metas?: Readonly<Record<string, RegExp>>
  /** Where scripts, styles, frames and forms come from or go to. */
  hosts?: readonly string[]
  /** Where images that count visitors come from. */
  pixels?: readonly string[]
  /** Paths of scripts and styles, on any host. */
  files?: RegExp
  /** Paths of what the site itself serves. */
  paths?: RegExp
  /** Text of scripts in the page. */
  inline?: RegExp
  /** Marks of the markup as a whole: `#id`, `.class`, `[attribute]`, `<custom-element>`. */
  marks?: readonly string[]
  /** The same as a pattern. */
  markLike?: RegExp
  /** Values of attributes by name. */
  attributes?: Readonly<Record<string, RegExp>>
  /** What the host is an alias of. */
  cnames?: readonly string[]
  /** Addresses of the host. */
  addresses?: readonly string[]
  /** Name servers of the domain. */
  ns?: readonly string[]
}

/** How one technology is known. Each hint is enough alone; `weak` ones need company. */
export type Fingerprint = Hints & { implies?: readonly string[]; weak?: Hints }

export type Fingerprints = Readonly<Record<string, Fingerprint>>

/** Any value, also an empty one. */
export const any = /^/
