const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' })

/** Codes that stand for no country. */
const none = new Set(['EU', 'EZ', 'UN', 'ZZ', 'XA', 'XB', 'QO', 'AP'])

const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']

/** `GB` for `UK`: codes that were replaced name the same country. */
const current = (code: string): string => Intl.getCanonicalLocales(`und-${code}`)[0]?.slice(4) ?? code

const countryName = (code: string): string | undefined => (none.has(code) ? undefined : names.of(code))

let codes: Map<string, string> | undefined

/** Every country by its English name, in lower case. Made when first asked for. */
const byName = (): Map<string, string> => {
  codes ??= new Map(
    letters
      .flatMap(first => letters.map(second => first + second))
      .flatMap(code => {
        const name = current(code) === code ? countryName(code) : undefined
        return name ? [[name.toLowerCase(), code] as const] : []
      }),
  )
  return codes
}

/** A country by its ISO 3166-1 code or English name, both ways; nulls for anything else, such as the region `EU`. */
export const findCountry = (text: string | null): { country: string | null; countryCode: string | null } => {
  const word = (text ?? '').trim()
  const code = /^[a-z]{2}$/i.test(word) ? current(word.toUpperCase()) : byName().get(word.toLowerCase())
  const country = code && countryName(code)
  return country ? { country, countryCode: code } : { country: null, countryCode: null }
}
