import type { Audit } from './audit.ts'
import type { Heading } from './content-reader.ts'
import { skippedAt } from './rules/content.ts'

const limits = { outline: 100, texts: 10 }

const atLevel = (headings: readonly Heading[], headingLevel: number) =>
  headings.filter(({ level }) => level === headingLevel).length

const shownHeadings = (headings: readonly Heading[], count: number) => ({
  count,
  levels: {
    h1: atLevel(headings, 1),
    h2: atLevel(headings, 2),
    h3: atLevel(headings, 3),
    h4: atLevel(headings, 4),
    h5: atLevel(headings, 5),
    h6: atLevel(headings, 6),
  },
  outline: headings.slice(0, limits.outline),
  skips_levels: skippedAt(headings) !== undefined,
})

const toCoverage = (total: number, missing: number) =>
  total === 0 ? null : Math.round(((total - missing) / total) * 1000) / 1000

/** The facts of an audit as the answer shows them. */
export const toAnswerFields = ({ facts, versions, ...audit }: Audit) => {
  const {
    headings,
    headingCount,
    images,
    links,
    open_graph: openGraph,
    twitter_card: twitterCard,
    types,
  } = facts
  const first = headings.filter(({ level }) => level === 1)
  const { vagueLinks: _, uncrawlableLinks: __, ...linkCounts } = links
  return {
    title: audit.title,
    meta_description: audit.description,
    h1: { count: first.length, texts: first.slice(0, limits.texts).map(({ text }) => text) },
    headings: shownHeadings(headings, headingCount),
    canonical: audit.canonical,
    robots: audit.robots,
    open_graph: { present: openGraph !== null, missing: audit.openGraphMissing },
    twitter_card: {
      present: twitterCard !== null,
      card: twitterCard?.card ?? null,
      missing: audit.twitterMissing,
    },
    images: { ...images, coverage: toCoverage(images.total, images.missing_alt) },
    word_count: facts.word_count,
    lang: facts.lang,
    viewport: facts.viewport,
    hreflang: {
      count: facts.alternateCount,
      invalid: versions.filter(({ valid }) => !valid).length,
      self: versions.length === 0 ? null : versions.some(({ self }) => self),
    },
    structured_data: { types: types.types, count: types.types.length, broken: types.broken },
    links: { total: links.internal + links.external, ...linkCounts },
    is_shell: audit.is_shell,
  }
}
