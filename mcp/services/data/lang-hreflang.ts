import { z } from 'zod'
import { countText } from '../../lib/text/count.ts'
import { AddressInput, parseAddress, toHostname } from './address.ts'
import { charsetIssues, headerCharset } from './language/charset.ts'
import { declaredLanguage, languageIssues } from './language/declared-language.ts'
import { issueSeverities } from './language/issue.ts'
import { pageLanguage } from './language/page-language.ts'
import { checkReturns } from './language/reciprocal.ts'
import { plainAddress, toVersions, versionIssues } from './language/versions.ts'
import { visit } from './page/fetch-page.ts'
import { skill } from './skill.ts'

const text = (what: string) => z.string().nullable().describe(what)

const maxIssues = 200

/** Pages that people made are far smaller. */
const maxNodes = 100_000

const Version = z.object({
  hreflang: z.string().describe('As the page writes it'),
  href: text('Address of the version, absolute'),
  valid: z.boolean().describe('A known language, script and country, or x-default, with an address'),
  self: z.boolean().describe('True when it is this page'),
  language: text('Language of ISO 639'),
  region: text('Country or area'),
  problem: text('What is wrong or doubtful with the tag'),
  suggestion: text('What was probably meant'),
  source: z.enum(['link', 'header']).describe('A link element, or the Link header'),
  returns: z.boolean().nullable().describe('Whether it names this page back; null when unknown or not asked'),
})

const Issues = z.object({
  code: z.string().describe('Stable code'),
  severity: z.enum(issueSeverities).describe('How much it matters'),
  message: z.string().describe('The issue in a sentence'),
})

const Reciprocal = z.object({
  checked: z.number().int().describe('Versions that were fetched, at most ten'),
  returned: z.number().int().describe('Those that name this page back'),
  missing: z.array(z.string()).describe('Those that do not'),
  unknown: z.array(z.string()).describe('Those that could not be read'),
})

export default skill({
  id: 'lang-hreflang',
  argument: 'url',
  price: '0.003',
  tags: ['web', 'language', 'hreflang', 'seo'],
  keywords: ['translation', 'translated', 'alternate', 'international', 'multilingual', 'localization'],
  openWorld: true,
  cacheSec: 60,
  key: ({ url, reciprocal }) => [parseAddress(url), reciprocal],
  target: ({ url }) => toHostname(url),
  main: 'alternates',
  title: 'Read the language, charset and hreflang of a page',
  description:
    'Returns the declared language, text direction and charset of a page and its hreflang versions, each checked (language, country, address, duplicates, self, x-default), with the issues found. Free over A2A and MCP, else 0.003 USD.',
  input: z.object({
    url: AddressInput,
    reciprocal: z.boolean().default(false).describe('Also check that up to ten versions link back'),
  }),
  output: z.object({
    url: z.string().describe('The page, absolute'),
    final_url: z.string().describe('Where its redirects led'),
    status: z.number().int().describe('HTTP status of the page'),
    lang: text('Declared language, as it is written'),
    lang_source: z.enum(['html', 'xml:lang', 'meta', 'header']).nullable().describe('What declares it'),
    lang_valid: z.boolean().nullable().describe('Whether it is a valid tag of BCP 47; null without one'),
    dir: text('Direction of text: ltr, rtl or auto'),
    charset: z.string().describe('Charset the page was read in'),
    charset_source: z
      .string()
      .describe('What told it: bom, header, xml, meta, valid-utf8, detected, default'),
    charset_header: text('Charset of the Content-Type header'),
    charset_meta: text('Charset of the meta element'),
    content_language: text('Content-Language header'),
    canonical: text('Canonical address'),
    alternates: z.array(Version).describe('Language versions in the order of the page, at most 500'),
    x_default: text('Address for all other languages'),
    count: z.number().int().describe('Language versions, x-default included'),
    self_listed: z.boolean().nullable().describe('Whether the page names itself; null without versions'),
    reciprocal: Reciprocal.nullable().describe('Whether versions link back; null when it was not asked for'),
    issues: z.array(Issues).describe('What to mend, at most 200'),
    issue_count: z.number().int().describe('All issues'),
  }),
  needs: ['fetch', 'workers'],
  examples: [{ url: 'http://example.com/' }],
  summary: ({ final_url: finalUrl, lang, count, issue_count: issueCount }) =>
    `${finalUrl} is in ${lang ?? 'no declared language'}, with ${countText(count, 'language version')} and ${countText(issueCount, 'issue')}.`,
}).run(async ({ signal, ...ports }, { url: input, reciprocal }) => {
  const url = parseAddress(input) ?? input
  const pageVisit = await visit(ports, url, pageLanguage, { options: {}, mostNodes: maxNodes, signal })
  const { fetched, result: page, charset, charset_source: charsetSource, warnings } = pageVisit

  const pageDeclaration = declaredLanguage(page, fetched.headers['content-language'])
  const charsetHeader = headerCharset(fetched.headers['content-type'])
  const charsets = {
    charset,
    charset_source: charsetSource,
    charset_header: charsetHeader,
    charset_meta: page.metaCharset,
  }
  const final = plainAddress(fetched.url)
  const canonicalElsewhere =
    page.canonical !== null && plainAddress(page.canonical) !== final ? page.canonical : null
  const own = new Set([final, plainAddress(page.canonical ?? final)])
  const versions = toVersions(page.alternates, own)
  const returns = reciprocal ? await checkReturns(ports, versions, own, signal) : null

  const issues = [
    ...languageIssues(page, pageDeclaration),
    ...charsetIssues(charsets, page),
    ...versionIssues(versions, { language: pageDeclaration.tag?.language ?? null, canonicalElsewhere }),
    ...(returns?.issues ?? []),
  ]
  const listedVersions = (returns?.versions ?? versions).map(
    ({ rawHref: _, inHead: __, tag: ___, ...version }) => version,
  )
  const truncated = pageVisit.truncated || page.total > page.alternates.length || issues.length > maxIssues
  return {
    url,
    final_url: fetched.url,
    status: fetched.status,
    lang: pageDeclaration.lang,
    lang_source: pageDeclaration.lang_source,
    lang_valid: pageDeclaration.tag?.valid ?? null,
    dir: page.dir,
    ...charsets,
    content_language: pageDeclaration.content_language,
    canonical: page.canonical,
    alternates: listedVersions,
    x_default: versions.find(({ tag }) => tag === 'x-default')?.href ?? null,
    count: page.total,
    self_listed: versions.length === 0 ? null : versions.some(({ self }) => self),
    reciprocal: returns?.reciprocal ?? null,
    issues: issues.slice(0, maxIssues),
    issue_count: issues.length,
    about: { sources: [fetched.url], warnings, truncated },
  }
})
