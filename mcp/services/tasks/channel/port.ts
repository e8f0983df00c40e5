import { port } from '../../../kernel/port.ts'
import { tasksSettings } from '../config.ts'
import type { Channels } from './channels.ts'

/** Payment channels on Base and Arbitrum; a local chain and its escrow start with the first use. */
export const channels = port({
  name: 'channels',
  needs: ['chains', tasksSettings.sessionEscrows],
}).open(({ chains, sessionEscrows }): { open(): Promise<Channels> } => {
  let opened: Promise<Channels> | undefined
  return {
    open: () => {
      opened ??= import('./channels.ts').then(({ openChannels }) => openChannels(chains, sessionEscrows))
      return opened
    },
  }
})
