import { ToolError } from '../../../kernel/error.ts'
import { isRecord, parseJson } from '../../../lib/json.ts'
import type { Ports } from '../../../ports/ports.ts'
import type { Comparison, Content } from './entry.ts'

type Source = NonNullable<Content['source']>

/** The value that a JSON Pointer (RFC 6901) names; undefined for none. */
const readPointer = (value: unknown, pointer: string): unknown => {
  if (pointer === '') return value
  let at = value
  for (const token of pointer.split('/').slice(1)) {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~')
    if (Array.isArray(at)) at = /^(0|[1-9]\d{0,8})$/.test(name) ? at[Number(name)] : undefined
    else at = isRecord(at) && Object.hasOwn(at, name) ? at[name] : undefined
  }
  return at
}

const compareNumbers: Record<Comparison, (one: number, other: number) => boolean> = {
  '=': (one, other) => one === other,
  '>': (one, other) => one > other,
  '>=': (one, other) => one >= other,
  '<': (one, other) => one < other,
  '<=': (one, other) => one <= other,
}

const toNumber = (value: unknown): number | undefined => {
  if (typeof value === 'number') return value
  return typeof value === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : undefined
}

/** True when a value of a source meets its comparison; undefined where the two cannot be compared. */
const compare = (value: unknown, is: Comparison, wanted: string): boolean | undefined => {
  const [one, other] = [toNumber(value), toNumber(wanted)]
  if (one !== undefined && other !== undefined) return compareNumbers[is](one, other)
  if (is !== '=' || !['string', 'boolean', 'number'].includes(typeof value)) return undefined
  return String(value).trim().toLowerCase() === wanted.trim().toLowerCase()
}

/** Asks a declared source how a question came out; `url` is the address that answered. Throws `upstream` where it does not say. */
export const readOutcome = async (
  fetch: Ports['fetch'],
  { url, pointer, is, value }: Source,
  signal: AbortSignal,
): Promise<{ outcome: 0 | 1; url: string }> => {
  const answer = await fetch(url, { accept: 'application/json', maxBytes: 1 << 20, fresh: true, signal })
  const met =
    answer.status === 200 && !answer.truncated
      ? compare(readPointer(parseJson(answer.text().text), pointer), is, value)
      : undefined
  if (met === undefined) throw new ToolError('upstream', `${new URL(url).host} does not say how it came out.`)
  return { outcome: met ? 1 : 0, url: answer.url }
}
