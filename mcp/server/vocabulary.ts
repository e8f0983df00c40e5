import { z } from 'zod'
import { factTable } from '../lib/facts.ts'
import { isRecord } from '../lib/json.ts'
import { toSnakeCase } from '../lib/snake-case.ts'
import type { PortableSchema } from './portable.ts'

const names = z.record(z.string(), z.string().min(1))

const vocabulary = factTable(
  new URL('./data/vocabulary.json', import.meta.url),
  z.strictObject({
    /** Words of elsewhere, and what they are called here. */
    words: names,
    /** Fields that hold an object of a protocol, which keeps its own names, and the protocol. */
    protocols: names,
    /** Fields with a name of their own, as `service.tool.field` with `*` for any text, and why. */
    exceptions: names,
  }),
)

const snakeCase = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/
const timeName = /(?:^|_)(?:at|since|until|before|after|due|deadline)$/
const moneyName = /(?:^|_)usd$/

const hasType = (schema: PortableSchema, isOne: (schema: PortableSchema) => boolean): boolean =>
  isOne(schema) ||
  (Array.isArray(schema.anyOf) && schema.anyOf.some(one => isRecord(one) && hasType(one, isOne)))

const toPattern = (place: string): RegExp =>
  new RegExp(`^${place.replace(/[.[\]]/g, '\\$&').replaceAll('*', '.*')}$`)

let exceptions: readonly RegExp[] | undefined

const isException = (place: string): boolean => {
  exceptions ??= Object.keys(vocabulary().exceptions).map(toPattern)
  return exceptions.some(exception => exception.test(place))
}

const findFault = (name: string, schema: PortableSchema, side: 'input' | 'output'): string | undefined => {
  const { words } = vocabulary()
  const own = toSnakeCase(name)
  if (Object.hasOwn(words, own)) return `is called ${words[own]}`
  if (!snakeCase.test(name)) return `is written ${own}`
  if (hasType(schema, one => one.format === 'date-time') && !timeName.test(name))
    return 'is a time, and its name ends in _at'
  if (side === 'output' && moneyName.test(name) && hasType(schema, one => one.type === 'number'))
    return 'is money, and a decimal string'
  return undefined
}

/**
 * What is wrong with the name of a field of `service.tool` by docs/vocabulary.md, and how to put it right. Undefined for a name of the
 * vocabulary, for those within an object of a protocol, and for exceptions.
 */
export const findNameFault = (
  where: string,
  side: 'input' | 'output',
  path: string,
  schema: PortableSchema,
): string | undefined => {
  const [name = '', ...around] = path.split(/\.|\[\]\.?/).reverse()
  if (around.some(field => Object.hasOwn(vocabulary().protocols, field))) return undefined
  const fault = findFault(name, schema, side)
  return fault && !isException(`${where}.${path}`) ? fault : undefined
}
