import effects from '../data/effects.json' with { type: 'json' }
import type { Severity } from '../finding.ts'

/**
 * How far an effect reaches: everything or everybody, what many share, what one may lose, or what a guard that is bound to the act
 * makes good (a rollback, a test, what is made anew).
 */
export type Scope = 'wide' | 'partial' | 'narrow' | 'guarded'

/** Effect of a fact: a row of the table. */
export type Effect = keyof typeof effects

type Row = { family: string; severity: Severity; fix: string }

/** Every effect: its family, how bad it is where nothing tells how far it reaches, and a way to mend it. */
export const table = effects as Readonly<Record<Effect, Row>>

const severityOf: Readonly<Record<Scope, Severity>> = {
  wide: 'blocker',
  partial: 'high',
  narrow: 'medium',
  guarded: 'low',
}

/** How bad an effect of a scope is. */
export const toSeverity = (effect: Effect, scope: Scope | undefined): Severity =>
  scope === undefined ? table[effect].severity : severityOf[scope]

/** The families of effects that every act is checked for. */
export const effectFamilies: readonly string[] = [
  ...new Set(Object.values(table).map(({ family }) => family)),
]
