import { clean } from '../../../lib/text/clean.ts'
import { issue, type LanguageIssue } from './issue.ts'
import type { PageLanguage } from './page-language.ts'
import { type LanguageTag, parseLanguageTag } from './tag.ts'

export type DeclaredLanguage = {
  lang: string | null
  lang_source: 'html' | 'xml:lang' | 'meta' | 'header' | null
  tag: LanguageTag | null
  content_language: string | null
}

const rightToLeft = new Set('Adlm Arab Hebr Mand Mend Nkoo Rohg Samr Syrc Thaa'.split(' '))

const isRightToLeft = (canonical: string): boolean =>
  rightToLeft.has(new Intl.Locale(canonical).maximize().script ?? '')

/** The language a page is in, by the first that says so (HTML standard, section 3.2.6.2). Headers with several say nothing. */
export const declaredLanguage = (page: PageLanguage, header: string | undefined): DeclaredLanguage => {
  const contentLanguage = clean(header, 200)
  const single = (text: string | null) => (text && !/[\s,]/.test(text) ? text : null)
  const firstDeclared = (
    [
      [page.htmlLang, 'html'],
      [page.xmlLang, 'xml:lang'],
      [single(page.metaLang), 'meta'],
      [single(contentLanguage), 'header'],
    ] as const
  ).find(([text]) => text)
  const lang = clean(firstDeclared?.[0], 100)
  return {
    lang,
    lang_source: firstDeclared?.[1] ?? null,
    tag: lang === null ? null : parseLanguageTag(lang),
    content_language: contentLanguage,
  }
}

const primaries = (text: string | null): (string | null)[] =>
  (text ?? '').split(/[\s,]+/, 20).flatMap(tag => (tag === '' ? [] : [parseLanguageTag(tag).language]))

const checkTag = (lang: string, { valid, problem, suggestion }: LanguageTag): LanguageIssue[] => {
  if (problem === null) return []
  const advice = suggestion === null ? '' : ` Write ${suggestion}.`
  return [issue(valid ? 'low' : 'high', 'lang_invalid', `The language "${lang}" ${problem}.${advice}`)]
}

const disagree = (
  page: PageLanguage,
  { tag, content_language: contentLanguage }: DeclaredLanguage,
): LanguageIssue[] => {
  const language = tag?.language
  if (!language) return []
  const differs = (text: string | null) => primaries(text).length > 0 && !primaries(text).includes(language)
  return [
    ...(page.xmlLang && differs(page.xmlLang)
      ? [
          issue(
            'low',
            'xml_lang_differs',
            `xml:lang says "${clean(page.xmlLang, 100)}" and lang another language.`,
          ),
        ]
      : []),
    ...(differs(contentLanguage)
      ? [issue('low', 'content_language_differs', `The Content-Language header says "${contentLanguage}".`)]
      : []),
    ...(differs(page.metaLang)
      ? [issue('low', 'meta_language_differs', `The meta element says "${page.metaLang}".`)]
      : []),
  ]
}

/** Lists faults in the way a page names its language and the direction of its text. */
export const languageIssues = (page: PageLanguage, declaration: DeclaredLanguage): LanguageIssue[] => {
  const { lang, lang_source: langSource, tag } = declaration
  const own = langSource === 'html' || langSource === 'xml:lang'
  const missing = own ? [] : [issue('high', 'lang_missing', 'The html element has no lang attribute.')]
  if (lang === null || tag === null) return missing
  const isMirrored = tag.canonical !== null && isRightToLeft(tag.canonical)
  return [
    ...missing,
    ...checkTag(lang, tag),
    ...disagree(page, declaration),
    ...(page.metaLang === null
      ? []
      : [issue('low', 'meta_language', 'A meta element for Content-Language is obsolete; use lang.')]),
    ...(isMirrored && page.dir === null
      ? [issue('medium', 'dir_missing', `Text in ${tag.canonical} runs from right to left: set dir="rtl".`)]
      : []),
  ]
}
