import packages from '../data/packages.json' with { type: 'json' }

/** Names that many install, whose misspellings are registered by others. */
const popular = { npm: packages.popular.npm.split(' '), pypi: packages.popular.pypi.split(' ') }

/** Misspellings that have been used, further away than one letter. */
const misspelt: Readonly<Record<string, string>> = packages.misspelt

const legitimate: ReadonlySet<string> = new Set(packages.legitimate.split(' '))

const isOneEditAway = (a: string, b: string): boolean => {
  if (Math.abs(a.length - b.length) > 1) return false
  let from = 0
  while (from < a.length && from < b.length && a[from] === b[from]) from++
  let [endA, endB] = [a.length, b.length]
  while (endA > from && endB > from && a[endA - 1] === b[endB - 1]) {
    endA--
    endB--
  }
  const [restA, restB] = [a.slice(from, endA), b.slice(from, endB)]
  if (restA.length <= 1 && restB.length <= 1) return true
  return restA.length === 2 && restB.length === 2 && restA[0] === restB[1] && restA[1] === restB[0]
}

/** The popular package that a name is one letter away from; undefined for a name of its own. */
export const isTyposquat = (word: string, ecosystem: 'npm' | 'pypi'): string | undefined => {
  const name = word.startsWith('@') ? word : (word.split(/[@=<>~![]/)[0] ?? '')
  if (Object.hasOwn(misspelt, name)) return misspelt[name]
  if (
    name.startsWith('@') ||
    name.length < 5 ||
    legitimate.has(name) ||
    /[/.:]/.test(name.replace(/\.js$/, ''))
  )
    return undefined
  const names: readonly string[] = popular[ecosystem]
  if (names.includes(name)) return undefined
  return names.find(other => other.length >= 5 && isOneEditAway(name, other))
}
