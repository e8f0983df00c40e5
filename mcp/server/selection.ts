import { echo } from '../kernel/echo.ts'
import { ToolError } from '../kernel/error.ts'
import { parseUrlQuery, type Request } from '../kernel/http.ts'

type Kind = 'services' | 'tools'

const hints: Record<Kind, (known: readonly string[]) => string> = {
  services: known => `The services are: ${known.join(', ')}.`,
  tools: () => 'Leave tools out to see the names of all.',
}

/**
 * The names that `?services=` or `?tools=` of an address asks for, in the order of `known`; undefined without it. Throws `not_found` for a
 * name that does not exist.
 */
export const requestedNames = (
  req: Request,
  kind: Kind,
  known: readonly string[],
): readonly string[] | undefined => {
  const { [kind]: value } = parseUrlQuery(req)
  if (value === undefined) return undefined
  const names = String(value)
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '')
  const strange = names.find(name => !known.includes(name))
  if (strange === undefined && names.length > 0) return known.filter(name => names.includes(name))
  throw new ToolError('not_found', `${kind}: there is no ${kind.slice(0, -1)} "${echo(strange ?? '')}".`, {
    hint: hints[kind](known),
  })
}

/** Selections that are kept: more than people connect, few enough for a caller who makes them up. */
const maxKept = 64

/** Makes what a selection needs once, and keeps the last ones. */
export const keepSelections = <made>() => {
  const kept = new Map<string, made>()
  return (key: string, make: () => made): made => {
    const value = kept.get(key) ?? make()
    kept.delete(key)
    kept.set(key, value)
    const [oldest] = kept.keys()
    if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest)
    return value
  }
}
