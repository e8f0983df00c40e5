import { accountFunctions } from './account-functions.ts'
import { controlFunctions } from './control-functions.ts'
import type { KnownFunction } from './functions.ts'
import { tokenFunctions } from './token-functions.ts'
import { tradeFunctions } from './trade-functions.ts'

const functions: readonly KnownFunction[] = [
  ...tokenFunctions,
  ...tradeFunctions,
  ...accountFunctions,
  ...controlFunctions,
]

const bySelector = new Map(functions.map(one => [one.selector, one]))

export const functionBySelector = (selector: string): KnownFunction | undefined => bySelector.get(selector)
