import { inspect } from 'node:util'
import type { z } from 'zod'

/** A value that prints as `[secret]` wherever it is logged, inspected or serialised. */
export type Secret<value = string> = { reveal(): value }

export const toSecret = <value>(value: value): Secret<value> =>
  Object.freeze({
    reveal: () => value,
    toString: () => '[secret]',
    toJSON: () => '[secret]',
    [inspect.custom]: () => '[secret]',
  })

type SettingFacts = {
  /** The environment variable. One that begins with the slug in capitals, `PIER_`, makes misspelt ones of it errors too. */
  variable: string
  /** Its effect, its form, and what holds without it; product text. */
  description: string
  /** Reads the text of the variable. */
  schema: z.ZodType
  /** The text that holds where the variable is absent. */
  default?: string
  /** A text that works, for documents. */
  example?: string
  /** Its text is never printed. `true` makes the value a Secret; with `parts` the schema wraps what of it is secret. */
  secret?: true | 'parts'
}

type Read<facts extends SettingFacts> = facts extends { secret: true }
  ? Secret<z.output<facts['schema']>>
  : z.output<facts['schema']>

type ValueOf<facts extends SettingFacts> = facts extends { default: string }
  ? Read<facts>
  : Read<facts> | undefined

/** One thing that an operator may set by an environment variable. As a need, it stands in the context under its name. */
export type Setting<
  name extends string = string,
  value = unknown,
  variable extends string = string,
> = Readonly<Omit<SettingFacts, 'variable'>> & {
  readonly kind: 'setting'
  readonly name: name
  readonly variable: variable
  /** The value of a text; undefined without a text or default. Throws z.ZodError for a text that does not fit, in the words of `wording`. */
  parse(text: string | undefined, wording?: z.core.$ZodErrorMap): value
}

export type Settings = Readonly<Record<string, Setting>>

/** Values of settings by their names. */
export type Values<all extends Settings> = {
  readonly [name in keyof all]: all[name] extends Setting<string, infer value> ? value : never
}

type Declared<all extends Readonly<Record<string, SettingFacts>>> = {
  readonly [name in keyof all & string]: Setting<name, ValueOf<all[name]>, all[name]['variable']>
}

const toSetting = (name: string, facts: SettingFacts): Setting => ({
  ...facts,
  kind: 'setting',
  name,
  parse(text = facts.default, wording) {
    if (text === undefined) return undefined
    const value = facts.schema.parse(text, wording && { error: wording })
    return facts.secret === true ? toSecret(value) : value
  },
})

/**
 * Declares settings: of a service, of a port, or of the program. A service names them in its `settings`; a handler that lists one
 * among its `needs` finds the value in its context, under its name.
 */
export const settings = <const all extends Readonly<Record<string, SettingFacts>>>(all: all): Declared<all> =>
  Object.fromEntries(
    Object.entries(all).map(([name, facts]) => [name, toSetting(name, facts)]),
  ) as Declared<all>
