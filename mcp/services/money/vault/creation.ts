import { ToolError } from '../../../kernel/error.ts'
import type { Basket } from './basket.ts'
import { createCall, dryRunVault, readOwner, requireVault, toAnswer, weightsCall } from './prepare.ts'

/** The call that opens a vault. Throws `conflict` where it is open. */
export const prepareCreation = async (basket: Basket, ownerText: string) => {
  const { owner, vault, isOpen } = await readOwner(basket, ownerText)
  if (isOpen)
    throw new ToolError('conflict', `${owner} has its vault already: ${vault}.`, {
      reason: 'vault_exists',
      issues: [{ path: 'owner', message: 'has a vault' }],
      params: { vault },
      next: ['vault_status', 'buy_stocks'],
    })
  const run = await dryRunVault(basket, { holder: owner, vault, calls: [createCall(basket)] })
  return toAnswer(basket, { owner, vault }, run, { vault, owner, created: true as const })
}

/** The call that sets target weights. */
export const prepareWeights = async (basket: Basket, ownerText: string, weightsBps: readonly number[]) => {
  const { owner, vault } = await requireVault(basket, ownerText)
  const run = await dryRunVault(basket, { holder: owner, vault, calls: [weightsCall(vault, weightsBps)] })
  return toAnswer(basket, { owner, vault }, run, { weightsBps: [...run.stateAfter.weightsBps] })
}
