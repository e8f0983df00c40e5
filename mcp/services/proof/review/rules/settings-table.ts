import { isSafer } from '../read/safe-direction.ts'
import type { Setting } from '../read/settings.ts'
import type { Hit } from '../rule.ts'

type Danger = readonly [path: RegExp, value: RegExp, detail: string, severity?: Hit['severity']]

/** Sees a setting of which a line of a table tells. */
export const byTable =
  (table: readonly Danger[]) =>
  ({ path, key, value, isRemoved, place }: Setting): Hit | undefined => {
    if (isRemoved || isSafer(key, value)) return undefined
    for (const [pathForm, valueForm, detail, severity] of table)
      if (pathForm.test(path) && valueForm.test(value))
        return { detail: `${detail} (${path}: ${value.slice(0, 40)})`, place, ...(severity && { severity }) }
    return undefined
  }

export const on = /^(?:true|yes|on|1|enabled?|always)$/i
export const off = /^(?:false|no|off|0|disabled?|none|never|~|null|disable)$/i
