import { z } from 'zod'
import { channelEscrow } from '../../../contracts/channel-escrow.ts'
import { taskEscrow } from '../../../contracts/task-escrow.ts'
import { addressOf } from '../../lib/contract.ts'
import { deployment } from '../../lib/deployment.ts'
import { tasksSettings } from './config.ts'
import { sessionNetworks } from './session.ts'

const none = { parameters: z.strictObject({}), defaults: () => ({}) }

/** The contract that holds the money of tasks. It has no owner and no arguments. */
export const escrowDeployment = deployment({
  ...none,
  networks: ['base'],
  plan: () => ({
    needs: [],
    steps: [{ title: 'escrow of tasks', code: taskEscrow, initCode: taskEscrow.bytecode }],
    settings: { [tasksSettings.escrowContract.variable]: addressOf(taskEscrow.bytecode) },
  }),
})

/** The contract that holds the money of metered sessions. It has no owner and no arguments. */
export const sessionDeployment = deployment({
  ...none,
  networks: sessionNetworks,
  plan: (_, { network, config }) => {
    const { variable } = tasksSettings.sessionEscrows
    const configured = config[variable] as Readonly<Record<string, string>> | undefined
    return {
      needs: [],
      steps: [{ title: 'escrow of channels', code: channelEscrow, initCode: channelEscrow.bytecode }],
      settings: {
        [variable]: JSON.stringify({ ...configured, [network]: addressOf(channelEscrow.bytecode) }),
      },
    }
  },
})
