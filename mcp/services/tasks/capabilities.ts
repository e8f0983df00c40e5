import { capability } from '../../kernel/capability.ts'
import { escrowChain } from './chain.ts'
import { channels } from './channel/port.ts'
import { tasksSettings } from './config.ts'
import { sessionNetworks } from './session.ts'

const { escrowContract, sessionEscrows } = tasksSettings

/** Escrow of tasks in a contract. */
const escrow = capability({
  name: 'escrow',
  variables: ['OCTAGENT_NETWORKS', 'OCTAGENT_RELAYER_KEY', escrowContract.variable],
  needs: ['chains', escrowChain],
}).look(async ({ chains, escrowChain: opened }) => {
  if (chains.local) return { state: 'on' }
  await opened.place()
  return { state: 'on' }
})

/** Metered sessions, by channels in a contract. */
const sessions = capability({
  name: 'sessions',
  variables: ['OCTAGENT_NETWORKS', sessionEscrows.variable],
  needs: ['chains', channels, sessionEscrows],
}).look(async ({ chains, channels: port, sessionEscrows: contracts }) => {
  if (chains.local) return { state: 'on' }
  const networks = sessionNetworks.filter(network => contracts[network])
  if (networks.length === 0)
    return { state: 'off', reason: `No contract is configured (${sessionEscrows.variable}).` }
  const opened = await port.open()
  await Promise.all(networks.map(network => opened.network(network)))
  return { state: 'on' }
})

export const capabilities = [escrow, sessions]
