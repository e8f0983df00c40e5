import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { WordInput } from './address.ts'
import { OperationId, StatusFields } from './gas/answer.ts'
import { solanaSponsor } from './gas/solana/sponsor.ts'
import { sponsorChains } from './gas/sponsor-chains.ts'

export default tool({
  name: 'gas_status',
  title: 'Look at a sponsored operation',
  description:
    'Tells what became of a sponsored operation: whether it waits for a signature or a block, was mined and with what outcome, or was not carried out and left a credit. By its id at any time, by its user_op_hash once it is on the chain. Free.',
  keywords: ['transaction', 'gasless', 'receipt', 'progress', 'included', 'check'],
  input: z.object({
    id: OperationId.optional().describe('Id of the answer of gas_sponsor'),
    user_op_hash: WordInput.optional().describe('Hash of an operation that is on the chain'),
  }),
  output: z.object(StatusFields),
  needs: ['store', 'clock', sponsorChains],
  wants: [solanaSponsor],
  price: free,
  limits: [{ perMinute: 120, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  a2a: { group: 'gas', text: ['gas-status <id>'], tags: ['gas', 'erc-4337'] },
  rest: { routes: ['GET /v1/gas/:id'] },
  needsSetup: true,
  examples: [{ id: 'gas_00000000000000000000000000000000' }],
  summary: ({ state, transaction_hash: transactionHash }) =>
    `It is ${state}${transactionHash ? `: ${transactionHash}` : ''}.`,
}).run(
  async (
    { store, clock, sponsorChains: chains, solanaSponsor: solana },
    { id, user_op_hash: userOpHash },
  ) => {
    if ((id === undefined) === (userOpHash === undefined))
      throw new ToolError('invalid_input', 'Send id or user_op_hash, one of them.', {
        issues: [{ path: 'id', message: 'must come, or user_op_hash in its place' }],
      })
    if (id !== undefined && solana) {
      const { readSolanaStatus, solanaRowsIn, toStatusFields } = await import('./gas/solana/sponsorship.ts')
      if (await solanaRowsIn(store).get(id))
        return toStatusFields(await readSolanaStatus({ store, clock, cluster: await solana.open() }, id))
    }
    const { readStatus, toStatus } = await import('./gas/submission.ts')
    const row = await readStatus({ store, clock, chains }, { id, userOpHash })
    // Who asks by the hash reads the chain, and learns no id.
    return { ...toStatus(row), ...(id === undefined && { id: null }) }
  },
)
