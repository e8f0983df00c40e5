import { encodeDeployData, type Hex } from 'viem'
import { testIdentityRegistry } from '../../../contracts/test-identity-registry.ts'
import { testReputationRegistry } from '../../../contracts/test-reputation-registry.ts'
import { ToolError } from '../../kernel/error.ts'
import { addressOf, deployCall } from '../../lib/contract.ts'
import type { Chain, Wallet } from '../../ports/chain/port.ts'

const identityCode = encodeDeployData(testIdentityRegistry)
const identity = addressOf(identityCode)
const reputationCode = encodeDeployData({ ...testReputationRegistry, args: [identity] })
const reputation = addressOf(reputationCode)

/** The registries on a local chain; they are deployed where they are not there, as after a restart of the chain. */
export const deployRegistries = async (
  chain: Chain,
  wallet: Wallet,
): Promise<{ identity: Hex; reputation: Hex }> => {
  const reader = await chain.reader()
  const isThere = async (address: Hex) => ((await reader.getCode({ address })) ?? '0x') !== '0x'
  for (const [address, code] of [
    [identity, identityCode],
    [reputation, reputationCode],
  ] as const) {
    if (await isThere(address)) continue
    await wallet.carry(deployCall(code), 10_000)
    if (!(await isThere(address)))
      throw new ToolError('unavailable', 'The registries could not be deployed on the local chain.')
  }
  return { identity, reputation }
}
