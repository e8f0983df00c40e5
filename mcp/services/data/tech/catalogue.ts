import * as z from 'zod'
import { factTable, pattern } from '../../../lib/facts.ts'

const categories = [
  ...['ab-testing', 'advertising', 'analytics', 'asset-cdn', 'auth', 'cdn', 'cms', 'community', 'consent'],
  ...['css', 'ecommerce', 'fonts', 'framework', 'hosting', 'language', 'library', 'marketing', 'media'],
  ...['monitoring', 'os', 'payment', 'plugin', 'security', 'server', 'static-site', 'support', 'tag-manager'],
  ...['ui-library', 'widget'],
] as const

export type TechCategory = (typeof categories)[number]

const builds =
  '(?:[.-](?:slim|min|bundle|pkgd|prod|production|umd|global|esm|esm-browser|module|core|full|all|pack|runtime|src|debug|dev|development|with-locales|[0-9a-f]{8,64}))'

/** `/lodash@4.17.21/…`, `/ajax/libs/lodash.js/4.17.21/…`. */
const folder = (name: string) =>
  `/(?:${name})(?:\\.?js)?(?:@v?(\\d+(?:\\.\\d+){0,3})|/v?(\\d+(?:\\.\\d+){1,3}))(?:/|$)`

const files = (name: string) => `/(?:${name})(?:[.-]v?(\\d+(?:\\.\\d+){1,3}))?${builds}*\\.(?:m?js|css)$`

const releases = (name: string) =>
  `/(?:${name})(?:[.-]v?(\\d+(?:\\.\\d+){1,3})${builds}*|${builds}+)\\.(?:m?js|css)$`

const pathsOf = (form: (name: string) => string) =>
  z.string().transform(name => new RegExp(`${form(name)}|${folder(name)}`, 'i'))

const patterns = z.record(z.string(), pattern)
const names = z.array(z.string())

/**
 * Where a technology shows. Groups of a pattern hold the version; `^` is any value, also an empty one. Hosts stand for themselves
 * and what is below them, and may go on with the start of a path.
 */
const hints = z.strictObject({
  /** Response headers by lower-case name. */
  headers: patterns.optional(),
  /** Names of cookies. */
  cookies: pattern.optional(),
  /** The generator that a page names. */
  generator: pattern.optional(),
  /** Other meta elements, by name or property. */
  metas: patterns.optional(),
  /** Hosts that scripts, styles, frames and forms come from or go to. */
  hosts: names.optional(),
  /** Hosts of images that count visitors. */
  pixels: names.optional(),
  /** Paths of scripts and styles, on any host. */
  files: pattern.optional(),
  /** Script or style files of a library, by the name that they are usually served under. */
  fileName: pathsOf(files).optional(),
  /** The same for names that others use too: a file counts with a version or the mark of a build only. */
  releaseName: pathsOf(releases).optional(),
  /** Paths of what the site itself serves. */
  paths: pattern.optional(),
  /** Text of scripts in the page. */
  inline: pattern.optional(),
  /** Marks of the markup as a whole: `#id`, `.class`, `[attribute]`, `<custom-element>`. */
  marks: names.optional(),
  /** The same as a pattern. */
  markLike: pattern.optional(),
  /** Values of attributes by name. */
  attributes: patterns.optional(),
  /** Names the host is an alias of. */
  cnames: names.optional(),
  /** Addresses of the host. */
  addresses: names.optional(),
  /** Name servers of the domain. */
  ns: names.optional(),
})

const withFiles = ({
  fileName,
  releaseName,
  files = fileName ?? releaseName,
  ...rest
}: z.output<typeof hints>) => (files === undefined ? rest : { ...rest, files })

export type Hints = Omit<z.output<typeof hints>, 'fileName' | 'releaseName'>

/** A set of hints of one technology, and whether they are weak: a strong one is enough alone, a weak one needs company. */
export type Lead = { name: string; weak: boolean; hints: Hints }

const technology = z
  .strictObject({
    name: z.string(),
    category: z.enum(categories),
    implies: names.default([]),
    weak: hints.optional(),
    ...hints.shape,
  })
  .transform(({ name, category, implies, weak, ...strong }) => {
    const lead = (isWeak: boolean, raw: z.output<typeof hints>): Lead => ({
      name,
      weak: isWeak,
      hints: withFiles(raw),
    })
    return { name, category, implies, leads: [lead(false, strong), ...(weak ? [lead(true, weak)] : [])] }
  })

/** All technologies that are known, by name; and every set of hints. */
export const catalogue = factTable(
  new URL('./data/technologies.json', import.meta.url),
  z.array(technology).transform(all => ({
    byName: new Map(all.map(one => [one.name, one])),
    leads: all.flatMap(({ leads }) => leads),
  })),
)
