import type { Alternate } from './alternates.ts'
import { issue, type LanguageIssue } from './issue.ts'
import { type LanguageTag, readHreflang } from './tag.ts'

/** A language version, judged. */
export type LanguageVersion = Alternate &
  Pick<LanguageTag, 'valid' | 'language' | 'region' | 'problem' | 'suggestion'> & {
    tag: string | null
    self: boolean
    /** True when it names the page back; null when nobody looked, or could. */
    returns: boolean | null
  }

/** An address in one spelling, without its fragment. */
export const plainAddress = (address: string): string => {
  const url = new URL(address)
  url.hash = ''
  return url.href
}

export const toVersions = (alternates: readonly Alternate[], own: ReadonlySet<string>): LanguageVersion[] =>
  alternates.map(alternate => {
    const { canonical, valid, ...tag } = readHreflang(alternate.hreflang)
    const { language, region, problem, suggestion } = tag
    const self = alternate.href !== null && own.has(plainAddress(alternate.href))
    const isFine = valid && alternate.href !== null
    return {
      ...alternate,
      valid: isFine,
      language,
      region,
      problem,
      suggestion,
      tag: canonical,
      self,
      returns: null,
    }
  })

const aboutOne = ({
  hreflang,
  href,
  rawHref,
  inHead,
  source,
  problem,
  suggestion,
  tag,
}: LanguageVersion): LanguageIssue[] => {
  const advice = suggestion === null ? '' : ` Write ${suggestion}.`
  const isRelative = source === 'link' && !/^https?:\/\//i.test(rawHref)
  return [
    ...(problem === null
      ? []
      : [
          issue(
            tag === null ? 'high' : 'low',
            tag === null ? 'hreflang_invalid' : 'hreflang_doubtful',
            `hreflang "${hreflang}" ${problem}.${advice}`,
          ),
        ]),
    ...(href === null
      ? [issue('high', 'hreflang_no_address', `The version for "${hreflang}" has no address.`)]
      : isRelative
        ? [issue('medium', 'hreflang_relative', `The address of "${hreflang}" is not written in full.`)]
        : []),
    ...(inHead ? [] : [issue('high', 'hreflang_in_body', `The link for "${hreflang}" is not in the head.`)]),
  ]
}

const duplicates = (versions: readonly LanguageVersion[]): LanguageIssue[] => {
  const places = new Map<string, string[]>()
  for (const { tag, hreflang, href } of versions) {
    const key = tag ?? hreflang.toLowerCase()
    places.set(key, [...(places.get(key) ?? []), href ?? ''])
  }
  return [...places].flatMap(([tag, hrefs]) => {
    if (hrefs.length < 2) return []
    const isSame = new Set(hrefs).size === 1
    const what = isSame ? 'the same address' : 'different addresses'
    return [
      issue(
        isSame ? 'low' : 'high',
        'hreflang_duplicate',
        `"${tag}" is named ${hrefs.length} times, with ${what}.`,
      ),
    ]
  })
}

type Around = { language: string | null; canonicalElsewhere: string | null }

const checkSelfReference = (
  versions: readonly LanguageVersion[],
  { language, canonicalElsewhere }: Around,
): LanguageIssue[] => {
  const own = versions.filter(({ self, tag }) => self && tag !== 'x-default')
  if (!versions.some(({ self }) => self))
    return [issue('high', 'hreflang_no_self', 'The page does not name itself among its language versions.')]
  const others = own.flatMap(({ language }) => (language === null ? [] : [language]))
  const differs = language !== null && others.length > 0 && !others.includes(language)
  return [
    ...(differs
      ? [
          issue(
            'medium',
            'hreflang_lang_differs',
            `The page is in ${language} and calls itself ${others[0]}.`,
          ),
        ]
      : []),
    ...(canonicalElsewhere === null
      ? []
      : [
          issue(
            'medium',
            'hreflang_not_canonical',
            `The canonical address is another one: ${canonicalElsewhere}. Versions of such pages are left out.`,
          ),
        ]),
  ]
}

/** Lists faults of the language versions that a page names. None named is no mistake. */
export const versionIssues = (versions: readonly LanguageVersion[], around: Around): LanguageIssue[] => {
  if (versions.length === 0) return []
  const hasDefault = versions.some(({ tag }) => tag === 'x-default')
  return [
    ...versions.flatMap(aboutOne),
    ...duplicates(versions),
    ...checkSelfReference(versions, around),
    ...(hasDefault || versions.length < 2
      ? []
      : [issue('low', 'x_default_missing', 'There is no x-default for readers of other languages.')]),
  ]
}
