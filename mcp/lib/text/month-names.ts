import { worldLocales } from './amount/native.ts'

const middles = Array.from({ length: 12 }, (_, month) => Date.UTC(2024, month, 15))

/** The shapes in which languages inflect or shorten the name of a month. */
const shapes: readonly Intl.DateTimeFormatOptions[] = [
  { month: 'long' },
  { month: 'short' },
  { day: 'numeric', month: 'long', year: 'numeric' },
  { day: 'numeric', month: 'short', year: 'numeric' },
  { month: 'long', year: 'numeric' },
]

/** Languages of places without a currency of their own. */
const further = 'en gl eu cy mt lb zu gd fo br fy'.split(' ')

/** A name as it is looked up: in lower case, without the mark of an abbreviation. */
export const foldMonth = (name: string): string => name.toLowerCase().replace(/[.॰]$/, '')

export type MonthNames = {
  /** Months by what some language calls them; a few words name two. */
  byName: ReadonlyMap<string, readonly number[]>
  /** Beginnings of names of several words. */
  heads: ReadonlySet<string>
}

const build = (): MonthNames => {
  const byName = new Map<string, number[]>()
  const enter = (name: string, month: number) => {
    // What begins with a figure is no name.
    if (!/^\p{L}./u.test(name)) return
    const known = byName.get(name) ?? []
    if (!known.includes(month)) byName.set(name, [...known, month])
  }
  // Arabic alone has other months in other places.
  const languages = worldLocales().map(locale =>
    locale.startsWith('ar') ? locale : locale.replace(/-[A-Z]{2}$/, ''),
  )
  for (const locale of new Set([...further, ...languages]))
    for (const shape of shapes) {
      const format = new Intl.DateTimeFormat(`${locale}-u-ca-gregory-nu-latn`, { ...shape, timeZone: 'UTC' })
      for (const [at, time] of middles.entries()) {
        const parts = format.formatToParts(time)
        const place = parts.findIndex(({ type }) => type === 'month')
        const name = foldMonth(parts[place]?.value ?? '')
        enter(name, at + 1)
        // "d'agost", "במאי": a preposition is written together with the name.
        const joined = /[\p{L}'’]+$/u.exec(parts[place - 1]?.value ?? '')?.[0]
        if (joined !== undefined) enter(joined + name, at + 1)
      }
    }
  const heads = [...byName.keys()].filter(name => name.includes(' ')).map(name => name.replace(/ .*/, ''))
  return { byName, heads: new Set(heads) }
}

let names: MonthNames | undefined

/** The months as CLDR names them in the languages of the world; the first call builds the table. */
export const monthNames = (): MonthNames => {
  names ??= build()
  return names
}
