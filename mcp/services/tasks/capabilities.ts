import { capability } from '../../kernel/capability.ts'
import { escrowChain } from './chain/port.ts'
import { tasksSettings } from './config.ts'

const { escrowContract, sessionEscrows } = tasksSettings

/** Escrow of tasks in a contract. */
const escrow = capability({
  name: 'escrow',
  variables: ['OCTAGENT_NETWORKS', 'OCTAGENT_RELAYER_KEY', escrowContract.variable],
  needs: ['chains', escrowChain],
}).look(async ({ chains, escrowChain: opened }) => {
  if (chains.local) return { state: 'on' }
  const { contract } = await opened.place()
  const code = (await (await opened.reader()).getCode({ address: contract })) ?? '0x'
  return code === '0x'
    ? { state: 'off', reason: `There is no contract at ${contract} on Base (${escrowContract.variable}).` }
    : { state: 'on' }
})

/** Metered sessions, by channels in a contract. */
const sessions = capability({
  name: 'sessions',
  variables: ['OCTAGENT_NETWORKS', sessionEscrows.variable],
  needs: ['chains', sessionEscrows],
}).look(({ chains, sessionEscrows: contracts }) =>
  chains.local || Object.keys(contracts).length > 0
    ? { state: 'on' }
    : { state: 'off', reason: `No contract is configured (${sessionEscrows.variable}).` },
)

export const capabilities = [escrow, sessions]
