import type { ServiceScenarios } from '../../contract/scenario.ts'
import { sendTip } from '../../payment/tip.ts'

export const catScenarios: ServiceScenarios = {
  tools: {
    claim_tip: async (app, input) => ({
      input: { ...input, transaction_hash: await sendTip(app) },
      headers: {},
    }),
  },
}
