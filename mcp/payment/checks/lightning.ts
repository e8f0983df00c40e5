import type { LightningNode } from '../../ports/lightning/lightning.ts'
import { finding, type NetworkFinding } from './finding.ts'

/** Looks whether the Lightning node answers; it is opened by the first look that reaches it. */
export const checkLightning = async (open: () => Promise<LightningNode>): Promise<NetworkFinding[]> => [
  await finding('lightning node', async () => {
    const node = await open()
    await node.ping?.()
    return { state: 'ok', detail: `${node.node.slice(0, 16)}… answers` }
  }),
]
