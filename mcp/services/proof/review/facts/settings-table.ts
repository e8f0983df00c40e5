import settingTable from '../data/settings.json' with { type: 'json' }
import { isSafer } from '../read/safe-direction.ts'
import type { ArtifactSetting } from '../read/settings.ts'
import { type Fact, parsePattern } from './fact.ts'
import type { Effect, Scope } from './table.ts'

type Row = { path: RegExp; value: RegExp; detail: string; scope?: Scope }

const rowsByEffect = new Map<string, Row[]>()
for (const { effect, path, value, detail, scope } of settingTable) {
  const rows = rowsByEffect.get(effect) ?? []
  rows.push({
    path: parsePattern(path),
    value: parsePattern(value),
    detail,
    ...(scope !== undefined && { scope: scope as Scope }),
  })
  rowsByEffect.set(effect, rows)
}

/** Finds the first row of the table that a setting is of, among those of an effect. */
export const byTable = (effect: Effect) => {
  const rows = rowsByEffect.get(effect) ?? []
  return ({ path, key, value, place }: ArtifactSetting): Fact | undefined => {
    if (isSafer(key, value)) return undefined
    for (const row of rows)
      if (row.path.test(path) && row.value.test(value))
        return {
          detail: `${row.detail} (${path}: ${value.slice(0, 40)})`,
          place,
          ...(row.scope && { scope: row.scope }),
        }
    return undefined
  }
}

export const on = /^(?:true|yes|on|1|enabled?|always)$/i
