/** A language tag as it was judged. `suggestion` is what was probably meant. */
export type LanguageTag = {
  valid: boolean
  /** In the usual spelling, such as `zh-Hant-TW`; null for what cannot be read. */
  canonical: string | null
  language: string | null
  script: string | null
  region: string | null
  /** Fault or doubt about it, as the end of a sentence that starts with the tag. */
  problem: string | null
  suggestion: string | null
}

const languages = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' })
const regions = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' })
const scripts = new Intl.DisplayNames(['en'], { type: 'script', fallback: 'none' })

/** Known to Unicode, but no countries of ISO 3166-1. */
const noCountries = new Set('AC CP CQ DG EA EU EZ IC QO TA UN XA XB XK ZZ'.split(' '))

/** Languages with a newer code; the old one still stands for them. */
const renamedLanguages: Readonly<Record<string, string>> = {
  in: 'id',
  iw: 'he',
  ji: 'yi',
  jw: 'jv',
  mo: 'ro',
}

/** Prefixes that extended language subtags follow, as in `zh-cmn` (RFC 5646, section 2.2.2); Unicode leaves them out. */
const extendedLanguage = /^(?:zh|ar|ms|sw|uz|sgn|kok|lv)-(?=[a-z]{3}(?:-|$))/i

const canonicalize = (text: string): string | undefined => {
  try {
    return Intl.getCanonicalLocales(text.replace(extendedLanguage, ''))[0]
  } catch {
    return undefined
  }
}

const nothing = { canonical: null, language: null, script: null, region: null }

const wrong = (problem: string, suggestion: string | null = null): LanguageTag => ({
  valid: false,
  ...nothing,
  problem,
  suggestion,
})

/** True when a two-letter code is that of a country. */
export const isCountry = (code: string): boolean =>
  /^[A-Z]{2}$/.test(code) &&
  !noCountries.has(code) &&
  regions.of(code) !== undefined &&
  canonicalize(`und-${code}`) === `und-${code}`

/** The language that is spoken most where a country code stands in the place of a language. */
const spokenIn = (code: string): string | null =>
  isCountry(code.toUpperCase()) ? (new Intl.Locale(`und-${code}`).maximize().language ?? null) : null

const unreadable = (text: string): LanguageTag => {
  if (text === '') return wrong('is empty')
  const withHyphens = text.replaceAll('_', '-')
  if (withHyphens !== text && canonicalize(withHyphens))
    return wrong('has an underscore', canonicalize(withHyphens))
  return wrong('is no language tag')
}

const isKnown = (language: string) =>
  languages.of(language) !== undefined || Object.hasOwn(renamedLanguages, language)

/** `GB-en` for `en-GB`. */
const swapParts = (language: string, region: string | undefined): string | null =>
  region !== undefined && isCountry(language.toUpperCase()) && isKnown(region.toLowerCase())
    ? `${region.toLowerCase()}-${language.toUpperCase()}`
    : null

const unknownLanguage = (language: string, region: string | undefined): LanguageTag => {
  const swappedTag = swapParts(language, region)
  if (swappedTag) return wrong('has language and country the wrong way round', swappedTag)
  const country = spokenIn(language)
  const rest = region === undefined ? '' : `-${region.toUpperCase()}`
  return wrong('names no language of ISO 639', country && `${country}${rest}`)
}

/** Reads a language tag by BCP 47 and the registers behind it: languages of ISO 639, scripts, countries and areas. */
export const parseLanguageTag = (rawTag: string): LanguageTag => {
  const text = rawTag.trim().slice(0, 100)
  const canonical = canonicalize(text)
  if (canonical === undefined) return unreadable(text)
  const subtags = text.replace(extendedLanguage, '').toLowerCase().split('-')
  const first = text.toLowerCase().split('-')[0] ?? ''
  const { language, script, region } = new Intl.Locale(canonical)
  const writtenRegion = subtags.slice(1).find(subtag => /^(?:[a-z]{2}|\d{3})$/.test(subtag))

  if (first.length === 2 && !isKnown(first)) return unknownLanguage(first, writtenRegion)
  if (first.length > 3) return wrong('names no language of ISO 639')
  if (first.length === 3 && language?.length === 2 && first !== language)
    return wrong('has a three-letter code where there is one of two letters', canonical)
  if (script && scripts.of(script) === undefined) return wrong('names no script of ISO 15924')
  if (writtenRegion && region && writtenRegion.toUpperCase() !== region)
    return wrong(`names ${writtenRegion.toUpperCase()}, which is no country code`, canonical)
  if (region && regions.of(region) === undefined) return wrong('names no country of ISO 3166')
  const parts = { language: language ?? null, script: script ?? null, region: region ?? null }
  const newer = renamedLanguages[first]
  const problem = newer ? `has an old code for ${newer}` : null
  return { valid: true, canonical, ...parts, problem, suggestion: newer ? canonical : null }
}

/**
 * Reads an hreflang value as search engines do: `x-default`, or a language with a script and a country of ISO 3166-1 at most.
 * Valid tags of BCP 47 with an area instead of a country are valid, with a problem.
 */
export const readHreflang = (rawTag: string): LanguageTag => {
  if (rawTag.trim().toLowerCase() === 'x-default')
    return { valid: true, ...nothing, canonical: 'x-default', problem: null, suggestion: null }
  const tag = parseLanguageTag(rawTag)
  if (!tag.valid || tag.region === null || isCountry(tag.region)) return tag
  if (/^\d/.test(tag.region)) return { ...tag, problem: 'names an area where search engines want a country' }
  return wrong(`names ${tag.region}, which is no country`, tag.language)
}
