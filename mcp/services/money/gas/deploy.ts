import { encodeDeployData, encodeFunctionData, parseEther } from 'viem'
import { entryPoint08Abi } from 'viem/account-abstraction'
import { privateKeyToAccount } from 'viem/accounts'
import { z } from 'zod'
import { gasSponsor } from '../../../../contracts/gas-sponsor.ts'
import type { Secret } from '../../../kernel/setting.ts'
import { addressOf } from '../../../lib/contract.ts'
import { deployment, parameterAddress } from '../../../lib/deployment.ts'
import { withOwner } from '../owners.ts'
import { gasNetworks } from './networks.ts'
import { entryPoint, simpleAccount } from './operation.ts'
import { gasSettings } from './settings.ts'

/** The contract that pays for sponsored gas, at one address on all chains for the same owner and signer. */
export const gasDeployment = deployment({
  networks: gasNetworks.map(({ name }) => name),
  parameters: z.strictObject({
    owner: parameterAddress.describe(
      'Who takes the deposit back and changes the signer. Best a hardware wallet.',
    ),
    signer: parameterAddress.describe(
      'The account of MONEY_GAS_SIGNER_KEY: what it signs is paid for. It is another than that of MONEY_GAS_SUBMITTER_KEY.',
    ),
    deposit: z
      .string()
      .regex(/^(?:0|[1-9]\d{0,5})(?:\.\d{1,18})?$/, 'must be coins as a decimal such as 0.01')
      .describe(
        'Coins of the chain that the sponsor has at the EntryPoint; topped up to it each time this runs.',
      ),
  }),
  defaults: ({ sender, config }) => {
    const key = (config[gasSettings.gasSigner.variable] as Secret<`0x${string}` | ''> | undefined)?.reveal()
    return { owner: sender, signer: key ? privateKeyToAccount(key).address : undefined, deposit: '0.01' }
  },
  plan: ({ owner, signer, deposit }, { config }) => {
    const initCode = encodeDeployData({ ...gasSponsor, args: [owner, signer] })
    const sponsor = addressOf(initCode)
    return {
      needs: [
        ['EntryPoint v0.8', entryPoint],
        ['Simple7702Account', simpleAccount],
      ],
      steps: [
        { title: 'gas sponsor', code: gasSponsor, initCode },
        {
          title: 'deposit of the sponsor',
          read: async reader => {
            const contract = { address: entryPoint, abi: entryPoint08Abi } as const
            const there = await reader.readContract({
              ...contract,
              functionName: 'balanceOf',
              args: [sponsor],
            })
            const value = parseEther(deposit) - there
            const data = encodeFunctionData({ abi: gasSponsor.abi, functionName: 'deposit' })
            return value > 0n ? { to: sponsor, data, value } : undefined
          },
        },
      ],
      settings: { [gasSettings.gasSponsor.variable]: sponsor, ...withOwner(config, owner) },
    }
  },
})
