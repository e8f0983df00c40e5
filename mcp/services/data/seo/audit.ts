import type { LanguageIssue } from '../language/issue.ts'
import { parseLanguageTag } from '../language/tag.ts'
import { type LanguageVersion, toVersions, versionIssues } from '../language/versions.ts'
import type { CanonicalCheck } from './canonical.ts'
import { plain } from './canonical.ts'
import type { SeoFacts } from './facts.ts'
import type { Robots } from './robots.ts'
import { type Line, readLine } from './snippet-line.ts'

/** Subject of the rules: the facts of a page, and what was made of them. */
export type Audit = {
  url: string
  status: number
  facts: SeoFacts
  robots: Robots
  canonical: CanonicalCheck
  title: Line
  description: Line
  versions: LanguageVersion[]
  versionIssues: LanguageIssue[]
  openGraphMissing: string[]
  twitterMissing: string[]
  /** Nearly empty until scripts have run. */
  is_shell: boolean
}

const openGraphTags = ['title', 'type', 'image', 'url', 'description']

const withoutOpenGraph = ({ twitter_card: twitterCard, open_graph: openGraph }: SeoFacts): string[] =>
  ['card', 'title', 'description', 'image'].filter(
    name => !twitterCard?.[name] && (name === 'card' || !openGraph?.[name]),
  )

const isShell = ({ word_count: wordCount, scripts, hasRoot, elements }: SeoFacts): boolean =>
  scripts > 0 && ((hasRoot && wordCount < 30) || (elements < 12 && wordCount < 10))

/** Widths in pixels between which a title or description is shown in full on a page of results. */
const titleWidth = { size: 20, min: 200, max: 580 }
const descriptionWidth = { size: 14, min: 400, max: 985 }

export const toAudit = (
  facts: SeoFacts,
  around: Pick<Audit, 'url' | 'status' | 'robots' | 'canonical'>,
): Audit => {
  const { canonical } = around
  const own = new Set([plain(around.url), ...(canonical.href === null ? [] : [plain(canonical.href)])])
  const versions = toVersions(facts.alternates, own)
  const language = facts.lang === null ? null : parseLanguageTag(facts.lang).language
  const canonicalElsewhere = canonical.self === false ? canonical.href : null
  return {
    ...around,
    facts,
    title: readLine(facts.title, titleWidth),
    description: readLine(facts.description, descriptionWidth),
    versions,
    versionIssues: versionIssues(versions, { language, canonicalElsewhere }),
    openGraphMissing: openGraphTags.filter(name => !facts.open_graph?.[name]),
    twitterMissing: withoutOpenGraph(facts),
    is_shell: isShell(facts),
  }
}
